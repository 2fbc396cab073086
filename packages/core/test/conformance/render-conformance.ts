import type { Module, Plan } from "./plans.js"

const heading = `# Relying-party conformance

The OpenID Foundation maintains a test suite for relying parties. We rebuilt the modules of its test plans as tests of our own, under the
same names, with the test kit's identity provider. **These are our own tests. This is not a certification, and no one else has run
them.**

Each row is a test in \`packages/core/test/conformance\`, and \`npm test\` fails if this page and the tests disagree. Rows marked *not
supported* have no test, and state the reason.

These features are not supported at all: the implicit and hybrid flows (tokens do not belong in URLs, RFC 9700 section 2.1.2; a
\`response_type\` other than \`code\` is a configuration error), session management in frames, third-party initiated login, and signed
requests (JAR).
`

/** Renders `docs/conformance.md`. */
export function renderConformance(plans: readonly Plan[]): string {
  return `${[heading, ...plans.map(renderPlan)].join("\n")}`
}

function renderPlan({ title, name, setup, modules }: Plan): string {
  const rows = modules.map((module) => `| \`${module.name}\` | ${module.promise} | ${resultOf(module)} |`)
  return `## ${title}\n\nPlan \`${name}\`. ${setup}\n\n| module | requirement | result |\n|---|---|---|\n${rows.join("\n")}\n`
}

function resultOf({ notOffered, inPart }: Module): string {
  if (notOffered === undefined) return "passed"
  return inPart ? `passed in part. ${notOffered}` : `not supported. ${notOffered}`
}
