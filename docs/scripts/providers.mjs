// One page for each provider: from its row in docs/providers.md, which is generated from the modules, the doc comment of
// its factory, and docs/vendors.json.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, writePage } from "./pages.mjs"

const read = (...path) => readFileSync(join(root, ...path), "utf8")

/** The rows of the three tables, by provider. */
function readRows() {
  const lines = read("docs", "providers.md").split("\n")
  const [oauth, mail, own] = ["| provider | id | type", "| provider | id | variables", "| provider | id |"].map(
    (head) => {
      const at = lines.findIndex((line) => line.startsWith(head) && (head.length > 20 || line.trim() === head))
      const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"))
      return lines.slice(at + 2, end).map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    },
  )
  return [
    ...oauth.map(([name, id, type, variables, scopes, checks, email, deviations]) => ({
      ...toIdentity(name, id),
      type,
      variables,
      scopes,
      checks,
      email,
      deviations,
    })),
    ...mail.map(([name, id, variables, options]) => ({ ...toIdentity(name, id), type: "email", variables, options })),
    ...own.map(([name, id]) => ({ ...toIdentity(name, id), type: "own" })),
  ]
}

function toIdentity(name, cell) {
  const [, id, file = id] = cell.match(/^`([^`]+)`(?: from `providers\/([^`]+)`)?$/) ?? []
  const [, deprecated] = name.match(/^\*(.*)\* \(deprecated\)$/) ?? []
  return { name: deprecated ?? name, id, file, isDeprecated: deprecated !== undefined }
}

/** The doc comment of the factory: its paragraphs, its links, and its name. */
function readModule(file) {
  const source = read("packages", "core", "src", "providers", `${file}.ts`)
  const pattern = /\/\*\*\n((?: \*[^\n]*\n)+?) \*\/\nexport (?:function|const) (\w+)/g
  const factory = source.match(/export default (\w+)/)?.[1]
  const found = [...source.matchAll(pattern)].find(([, , name]) => name === factory)
  if (found === undefined) throw new Error(`The factory of providers/${file}.ts has no doc comment`)
  const lines = found[1].split("\n").map((line) => line.replace(/^ \* ?/, ""))
  const firstTag = lines.findIndex((line) => line.startsWith("@"))
  const [text, tags] = firstTag < 0 ? [lines, []] : [lines.slice(0, firstTag), lines.slice(firstTag)]
  const tagged = (name) =>
    tags.filter((line) => line.startsWith(`@${name} `)).map((line) => line.slice(name.length + 2))
  const paragraphs = text
    .join("\n")
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => paragraph.replace(/\n/g, " "))
  return {
    factory,
    paragraphs,
    links: tagged("see"),
    examples: tagged("example"),
    deprecated: tagged("deprecated"),
    logo: drawLogo(source),
  }
}

/** The logo of the button, in the colors of the light scheme. Empty for a provider without one. */
function drawLogo(source) {
  const [, path] = source.match(/\nconst mark =\s+"([^"]+)"/) ?? []
  const [, color = "currentColor"] = source.match(/brandColor: "(#[^"]+)"/) ?? []
  // In the color of the text, a black logo is visible in the dark scheme too.
  const own = /^#(?:0{3}){1,2}$/.test(color) ? "currentColor" : color
  const parts = path
    ? [[path, own]]
    : [...source.matchAll(/path: "([^"]+)",\s+color: "(#[^"]+)"/g)].map(([, part, fill]) => [part, fill])
  if (parts.length === 0) return []
  const paths = parts.map(([part, fill]) => `<path fill="${fill}" d="${part}"/>`)
  return [`<svg width="48" height="48" viewBox="0 0 24 24" aria-hidden="true">${paths.join("")}</svg>`]
}

const outsideCode = (text, change) =>
  text.replace(/`[^`]*`|[^`]+/g, (part) => (part.startsWith("`") ? part : change(part)))
const prose = (text) =>
  outsideCode(text, (part) =>
    part
      .replace(/\{@link (\w+) ?\}/g, "`$1`")
      .replace(/<(?=\w)/g, "&lt;")
      .replace(/(?<![(<\w])(https?:\/\/[^\s)]*[\w/])/g, "<$1>"),
  )

const prefixOf = (id) => `AUTH_${id.toUpperCase().replaceAll("-", "_")}_`

const methods = { own: "its own method", email: "email link", oauth: "OAuth 2.0", oidc: "OpenID Connect" }

/** What each environment variable holds. */
const suffixes = { ID: "client ID", SECRET: "client secret", ISSUER: "issuer", KEY: "API key" }

function listVariables({ id, type, variables }) {
  if (type === "own" || !variables) return []
  const named = [...variables.matchAll(/(\()?`(?:AUTH_\w+)?_(ID|SECRET|ISSUER|KEY)`/g)]
  return named.map(([, optional, suffix]) => [
    `${prefixOf(id)}${suffix}`,
    `${suffixes[suffix]}${optional ? " (optional)" : ""}`,
  ])
}

const importFor = ({ factory, file }) => `import ${factory} from "@latchkey/core/providers/${file}"`

function describeUse(provider) {
  const { factory, type, examples } = provider
  const [example = type === "email" || type === "own" ? undefined : factory] = examples
  if (example === undefined) return importBlock([importFor(provider)])
  const lines = [importFor(provider), "", `const providers = [${example.replace(/^export const \w+ = /, "")}]`]
  return importBlock(lines)
}
const importBlock = (lines) => ["```ts", ...lines, "```"].join("\n")

function describeSetUp(provider, vendor) {
  const { id, type, name } = provider
  const variables = listVariables(provider)
  const steps = [
    ...(vendor?.console ? [`Open [the console of ${name}](${vendor.console}).`] : []),
    ...(vendor?.steps ??
      (type === "email" ? [] : [`Register an app with ${name}, with the callback URL below as its redirect URI.`])),
    ...(variables.length > 0
      ? ["Set the environment variables below, and add the provider to your configuration."]
      : []),
  ]
  const table = ["| variable | content |", "|---|---|", ...variables.map(([key, text]) => `| \`${key}\` | ${text} |`)]
  const isOAuth = type === "oauth" || type === "oidc"
  return [
    "## Set up",
    steps.map((step, index) => `${index + 1}. ${prose(step)}`).join("\n"),
    ...(isOAuth
      ? [
          `Callback URL: \`https://app.example/auth/callback/${id}\`. In development: \`http://localhost:3000/auth/callback/${id}\`. If the\nservice is mounted at another path than \`/auth\`, as in Next.js, use that path.`,
        ]
      : []),
    ...(variables.length > 0 ? [table.join("\n")] : []),
  ]
}

function describeFacts({ scopes, checks, email, deviations = "", options }) {
  const parts = deviations.replaceAll("\\|", "|").split("; ").filter(Boolean)
  const isOption = (part) => part.startsWith("option ")
  const named = options ? [options] : parts.filter(isOption).map((part) => part.slice("option ".length))
  const hooks = parts.filter((part) => !isOption(part))
  const facts = [
    scopes !== undefined && `Scopes: ${scopes || "`openid profile email`"}`,
    checks && `Checks: ${checks.includes("state") ? checks : `${checks}, state`}`,
    email && `Email address: ${email === "yes" ? "yes, if the user has one and shares it" : "no"}`,
    named.length > 0 && `Options: ${named.join(", ")}`,
    hooks.length > 0 && `Differs from the standard: ${hooks.join("; ")}`,
  ].filter(Boolean)
  return facts.length > 0 ? ["## Facts", facts.map((fact) => `- ${fact}`).join("\n")] : []
}

function writeProvider(provider, vendor) {
  const { name, id, file, type, isDeprecated, paragraphs, links, deprecated } = provider
  const further = links.map((link) => `- ${prose(link)}`)
  const isOAuth = type === "oauth" || type === "oidc"
  const set = type === "own" ? [] : describeSetUp(provider, vendor)
  const guide =
    { credentials: "sessions", passkey: "passkeys", webauthn: "passkeys" }[id] ?? (isOAuth ? "oauth" : "providers")
  writePage(
    `providers/${file}.md`,
    [
      `# ${name}`,
      ...provider.logo,
      ...(isDeprecated
        ? [`::: warning Deprecated\n${prose(deprecated[0] ?? "The provider no longer accepts new apps.")}\n:::`]
        : []),
      ...paragraphs.map(prose),
      `ID: \`${id}\`. Method: ${methods[type]}.`,
      "## Use",
      describeUse(provider),
      ...set,
      ...describeFacts(provider),
      "## More",
      [
        ...further,
        `- [${isOAuth ? "OAuth and OpenID Connect" : "The guide"}](../guides/${guide}.md)`,
        ...(isOAuth ? [`- [More scopes, to act for the user at ${name}](../guides/tokens.md)`] : []),
        "- [All providers](../providers.md)",
      ].join("\n"),
    ].join("\n\n"),
  )
}

/** Returns the pages that it wrote, with the names of the providers. */
export function writeProviders() {
  const vendors = JSON.parse(read("docs", "vendors.json"))
  const providers = readRows().map((row) => ({ ...row, ...readModule(row.file) }))
  const unknown = Object.keys(vendors).filter((id) => !providers.some((provider) => provider.file === id))
  if (unknown.length > 0) throw new Error(`docs/vendors.json names unknown providers: ${unknown.join(", ")}`)
  for (const provider of providers) writeProvider(provider, vendors[provider.file])
  return providers.map(({ file, name, type }) => ({ path: `providers/${file}.md`, text: name, type }))
}
