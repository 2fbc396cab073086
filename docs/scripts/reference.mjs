// The pages of the reference: options, cookies, built-in pages, errors, the log, reasons and findings. Each entry is a heading, so
// that it has an address and the search finds it. features.mjs adds what the features bring.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { loadCore } from "./core.mjs"
import { readClasses, readComments, readInterface } from "./declarations.mjs"
import {
  describeFactoryOptions,
  describeFeatureEndpoints,
  describeFeatureErrors,
  describeJson,
  describeOtherCookies,
} from "./features.mjs"
import { writeLogReference } from "./log-reference.mjs"
import { writeMistakes } from "./mistakes.mjs"
import { site, writePage } from "./pages.mjs"
import { fieldTable, prose, table } from "./tables.mjs"

const signature = (text) => ["```ts", text.trim().replace(/^ {2}/gm, ""), "```"].join("\n")

/** What each callback gets and returns, by its path. */
function describeCallbacks() {
  const file = "types/callbacks.ts"
  const { members } = readInterface(file, "CallbacksOptions")
  return members.map(({ name, parameters, type }) => {
    // Its type parameters are those of `CallbacksOptions`.
    const parameter = parameters[0].replace(/<.*>$/, "")
    const own = readInterface(file, parameter)
    const about = own.comment.includes(". ") ? `${prose(own.comment)}\n\n` : ""
    return [
      `callbacks.${name}`,
      `${signature(`${name}(params: ${parameter}): ${type}`)}\n\n${about}${fieldTable(own.members)}`,
    ]
  })
}

/** What each event tells, by its path. */
function describeEvents() {
  const { members } = readInterface("types/callbacks.ts", "EventCallbacks")
  const ended =
    "`SignOutMessage` is `{ session: AdapterSession | null | undefined }` with database sessions and `{ token: JWT | null }` with JWT sessions."
  return members.map(({ name, parameters }) => [
    `events.${name}`,
    `${signature(`${name}(message: ${parameters[0]}): void | Promise<void>`)}${name === "signOut" ? `\n\n${ended}` : ""}`,
  ])
}

const optionTable = /<!-- options: written by scripts\/options\.mjs -->([\s\S]*?)<!-- end of options -->/

function describeOption([, path, value, fallback, text], details) {
  const facts = [...(details ? [] : [`Value: ${value}`]), ...(fallback ? [`Default: ${fallback}`] : [])]
  const list = facts.map((fact) => `- ${fact.replaceAll("\\|", "|")}`).join("\n")
  return [`## \`${path}\``, text, ...(details ? [details] : []), ...(list ? [list] : [])].join("\n\n")
}

/** On the site, each option in the tables of docs/options is a heading, and callbacks and events have their types. */
function writeOptions() {
  const details = new Map([...describeCallbacks(), ...describeEvents()])
  for (const page of globSync("options/*.md", { cwd: site })) {
    const text = readFileSync(join(site, page), "utf8")
    const rows = [...(text.match(optionTable)?.[1] ?? "").matchAll(/^\| `([^`]+)` \| (.*?) \| (.*?) ?\| (.*) \|$/gm)]
    if (rows.length === 0) throw new Error(`docs/${page} has no table of options`)
    const sections = rows.map((row) => describeOption(row, details.get(row[1])))
    writePage(
      page,
      text.replace(optionTable, () => sections.join("\n\n")),
    )
  }
  const intro =
    "The options of the factories that switch features on. [Those of `AuthConfig`](./index.md) have pages of their own."
  writePage("options/features.md", `# Options of the features\n\n${intro}\n\n${describeFactoryOptions().join("\n\n")}`)
}

/** One cookie: its two names, and the attributes that the service sets. */
function describeCookie({ name, comment }, secure, plain) {
  const { options } = secure[name]
  const attributes = [
    options.httpOnly && "`HttpOnly`",
    `\`SameSite=${options.sameSite}\``,
    `\`Path=${options.path}\``,
    "`Secure` on https",
    options.maxAge && `\`Max-Age=${options.maxAge}\``,
  ].filter(Boolean)
  return [
    `## \`cookies.${name}\``,
    prose(comment),
    [
      `- Name on https: \`${secure[name].name}\``,
      `- Name on http: \`${plain[name].name}\``,
      `- Attributes: ${attributes.join(", ")}`,
    ].join("\n"),
  ].join("\n\n")
}

function writeCookies({ ownCookies, resolveCookies }) {
  const secure = resolveCookies(undefined, { isSecure: true })
  const plain = resolveCookies(undefined, { isSecure: false })
  const { members } = readInterface("types/http.ts", "CookiesOptions")
  const attributes = readInterface("types/http.ts", "CookieSerializeOptions")
  writePage(
    "reference/cookies.md",
    [
      "# Cookies",
      "Every cookie that the service sets, with the names and attributes that it has by default. Override them with [`cookies`](../options/cookies.md).\n[Cookies](../concepts/cookies.md) explains what each one is for.",
      ...members.map((member) => describeCookie(member, secure, plain)),
      "## Attributes",
      "The fields of `cookies.<name>.options`.",
      fieldTable(attributes.members),
      "## Cookies without an option",
      "The service chooses the names and attributes of these cookies. A browser has only those of the features that it uses.",
      ...describeOtherCookies(ownCookies, Object.keys(plain)),
    ].join("\n\n"),
  )
}

/** What each action is for, when its function in routes.ts has no comment to take it from. */
const actionComments = {
  callback: "Completes a sign-in: the answer of a provider, an email link, a password or a passkey.",
  error: "The error page.",
  session: "Answers with the session as JSON, `null` for an anonymous visitor. `POST` updates it.",
  signin: "The sign-in page, and the start of a sign-in.",
  signout: "The page that asks whether to sign out, and the end of a session.",
  "style.css": "The stylesheet of the built-in pages.",
  "verify-request": "The page after a sign-in link was mailed. It asks for the code of the mail.",
  "webauthn-options": "The options for the browser's WebAuthn API. The id is optional with a single WebAuthn provider.",
  "webauthn.js": "The script of the built-in pages for passkeys.",
  "password.js": "The script of the built-in pages with a password field.",
  "wait.js": "The script of the built-in pages that wait until an email can be sent again.",
}
const actionFunctions = {
  csrf: "showCsrfToken",
  providers: "listProviders",
}
/** The JSON of the routes of Auth.js. `{ url }` is for requests with `X-Auth-Return-Redirect`, instead of a redirect. */
const actionJson = {
  csrf: [["GET", "", "{ csrfToken }"]],
  providers: [["GET", "", "{ [id]: { id, name, type, signinUrl, callbackUrl } }"]],
  session: [
    ["GET", "", "the session, or null"],
    ["POST", "data", "the session"],
  ],
  signin: [["POST signin/<id>", "callbackUrl, the fields of its form", "{ url }"]],
  callback: [
    ["POST callback/<id>", "callbackUrl, the fields of its form", "`{ url }`, with `error` and `code` in its query"],
    [
      "GET callback/<id>",
      "token, email, in a browser that did not ask for the email",
      "{ opening, address, csrfToken }",
    ],
  ],
  signout: [["POST", "callbackUrl", "{ url }"]],
  error: [["GET", "error, code", "{ message, code?, reference? }"]],
  "verify-request": [["GET", "provider, type", "{ provider, type, error?, address?, hasCode, flow? }"]],
  "webauthn-options": [["GET webauthn-options/<id>", "action, email", "{ action, options }"]],
}
const withProvider = new Set(["callback", "signin", "webauthn-options"])

function describeAction([name, methods], comments) {
  const comment = actionComments[name] ?? comments.get(actionFunctions[name])
  if (!comment) throw new Error(`docs/scripts/reference.mjs does not describe the action ${name}`)
  const text = comment.replace(/^`GET [^`]*`: /, "")
  const paths = [name === "callback" ? undefined : `/auth/${name}`, withProvider.has(name) && `/auth/${name}/:provider`]
  const shown = paths.filter(Boolean).map((path) => `\`${path}\``)
  return [shown.join(", "), Object.keys(methods).join(", "), prose(`${text[0].toUpperCase()}${text.slice(1)}`)]
}

function writeBuiltInPages(core) {
  const { routes } = core
  const comments = readComments("actions/routes.ts")
  const { members } = readInterface("types/config.ts", "PagesOptions")
  const sections = members.map(({ name, comment }) => `### \`pages.${name}\`\n\n${prose(comment)}`)
  writePage(
    "reference/pages.md",
    [
      "# Pages and endpoints",
      "## Your own pages",
      "Replace a built-in page with a path or URL of your own. [Custom pages](../cookbook/custom-pages.md) has an example of each.",
      ...sections,
      "## Endpoints",
      "The paths below the base path, which is `/auth` unless you change it.",
      table(
        ["path", "methods", "description"],
        Object.entries(routes).map((route) => describeAction(route, comments)),
      ) + describeJson(Object.keys(routes), actionJson),
      "## Endpoints of features",
      "They exist only with the feature. `*` stands for one segment. [A page or JSON](../guides/pages.md#a-page-or-json) says who gets JSON, and what that of an error has.",
      ...describeFeatureEndpoints(core),
    ].join("\n\n"),
  )
}

/** The page that explains how to avoid errors of a class or, if it has none, of a kind. */
const guides = {
  AccessTokenUnavailable: ["Access tokens of providers", "guides/tokens"],
  FreshnessRequired: ["A recent proof", "guides/second-factors"],
  HeldExpired: ["Second factors", "guides/second-factors"],
  HeldTooLarge: ["Second factors", "guides/second-factors"],
  LogoutTokenInvalid: ["Signing out at the provider", "guides/logout"],
  SecondFactorWrong: ["Second factors", "guides/second-factors"],
  config: ["Configuration errors", "guides/configuration"],
  csrf: ["Proxies", "cookbook/proxies"],
  host: ["Proxies", "cookbook/proxies"],
  linking: ["Accounts and linking", "guides/accounts"],
  input: ["Errors and logging", "guides/errors"],
  permission: ["The `signIn` callback", "options/callbacks"],
  provider: ["OAuth and OpenID Connect", "guides/oauth"],
  "rate-limit": ["Rate limiting", "guides/rate-limiting"],
  session: ["Sessions", "guides/sessions"],
  verification: ["Sign-in by email", "guides/email"],
  webauthn: ["Passkeys", "guides/passkeys"],
}

const pageNames = {
  signIn: "the sign-in page",
  error: "the error page",
  verifyRequest: "the page that asks for the code",
}

function describeError({ name, comment, base }, { errorPages }) {
  const { page, error, concerns } = errorPages[name]
  const guide = guides[name] ?? guides[concerns]
  const facts = [
    `- Visitors see: ${pageNames[page]} with \`error=${error}\``,
    `- Kind in the log: \`${concerns}\``,
    ...(base === "AuthError" ? [] : [`- Extends: \`${base}\``]),
    ...(guide ? [`- What to do: [${guide[0]}](../${guide[1]}.md)`] : []),
  ]
  return `## \`${name}\`\n\n${prose(comment)}\n\n${facts.join("\n")}`
}

function writeErrors(core) {
  const classes = readClasses("errors/errors.ts").filter(({ name }) => Object.hasOwn(core.errorPages, name))
  const missing = Object.keys(core.errorPages).filter((type) => !classes.some(({ name }) => name === type))
  if (missing.join() !== "AuthError") throw new Error(`errors.ts does not have the classes ${missing.join(", ")}`)
  const sections = classes
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
    .map((each) => describeError(each, core))
  writePage(
    "reference/errors.md",
    `# Errors\n\nEvery error class of \`@latchkey/core/errors\`. All of them extend \`AuthError\`. The [guide](../guides/errors.md) explains what visitors see and\nwhat the log contains. \`error=Configuration\` stands for everything that a visitor cannot fix; the log has the cause.\n\n${sections.join("\n\n")}\n\n## Errors of features\n\n${describeFeatureErrors().join("\n\n")}`,
  )
}

/** Returns the paths of the pages that it wrote. */
export async function writeReference() {
  const core = await loadCore()
  writeOptions()
  writeCookies(core)
  writeBuiltInPages(core)
  writeErrors(core)
  const pages = ["cookies", "pages", "errors"].map((name) => `reference/${name}.md`)
  return [...pages, writeLogReference(core), ...(await writeMistakes(core))]
}
