import type { Module, Plan } from "./plans.js"

const heading = `# Relying-party conformance

The OpenID Foundation keeps a suite that tests relying parties. The modules of its plans are rebuilt here as tests of our own, under
their names, against the identity provider of the test kit. **This is our own rebuild. It is not a certification, and nobody but us has
run it.**

Each line of a table is a test in \`packages/core/test/conformance\`; \`npm test\` fails when this page and the tests disagree. What is *not
offered* has no test that could pass, and says why.

Not offered as a whole: the implicit and the hybrid flow (tokens do not belong into addresses, RFC 9700 section 2.1.2; \`response_type\` other
than \`code\` is refused at start), logout that other parties begin (RP-initiated, back-channel, front-channel, session management), login
that third parties begin, and signed requests (JAR).
`

/** The page that says which modules pass. */
export function renderConformance(plans: readonly Plan[]): string {
  return `${[heading, ...plans.map(renderPlan)].join("\n")}`
}

function renderPlan({ title, name, setup, modules }: Plan): string {
  const rows = modules.map((module) => `| \`${module.name}\` | ${module.promise} | ${resultOf(module)} |`)
  return `## ${title}\n\nPlan \`${name}\`. ${setup}\n\n| module | promise | result |\n|---|---|---|\n${rows.join("\n")}\n`
}

function resultOf({ notOffered, inPart }: Module): string {
  if (notOffered === undefined) return "passed"
  return inPart ? `passed in part. ${notOffered}` : `not offered. ${notOffered}`
}
