// The pages of the reasons of failures and of the doctor's findings. Each is a heading with the texts that people paste from a log
// or an error page, so that the search finds it.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { linkToGuide, readTitles } from "./log-reference.mjs"
import { root, writePage } from "./pages.mjs"
import { prose } from "./tables.mjs"

/** What logs and error pages say, by reason: messages of ours, and errors of providers. */
const seen = {
  "flow-other-host": ["state: the flow began at another host of this service"],
  "flow-other-client": ["state: the provider's issuer, client id or callback address changed since the flow began"],
  "flow-other-browser": ["state: another browser began the flow"],
  "flow-completed": ["state: the flow was already completed", "challenge: already used"],
  "flow-cookies-missing": ["state: this browser did not begin the flow at this provider, or the flow expired"],
  "flow-expired": ["state: this browser did not begin the flow at this provider, or the flow expired"],
  "flow-replaced": ["state: this browser did not begin the flow at this provider, or the flow expired"],
  "state-missing": ["state: missing from the callback"],
  "state-repeated": ["state: sent more than once"],
  "state-altered": ["state: not issued by this service, or expired"],
  "state-other-secret": ["state: not issued by this service, or by a process of it with another secret"],
  "pkce-missing": ["the check cookie is missing, expired, or from another flow"],
  "client-rejected": ["invalid_client", "unauthorized_client", "incorrect_client_credentials"],
  "redirect-uri-rejected": ["redirect_uri_mismatch", "invalid_redirect_uri"],
  "code-rejected": ["invalid_grant", "bad_verification_code"],
  "scope-rejected": ["invalid_scope"],
  "denied-by-user": ["access_denied"],
  "form-token-missing": ["The form has no csrfToken", "The CSRF cookie is missing"],
  "form-token-foreign": ["The csrfToken of the form does not match the cookie"],
  "form-other-origin": ["The form came from"],
  "session-other-secret": ["The session token was rejected"],
  "session-altered": ["The session token was rejected"],
  "session-expired": ["The session token was rejected"],
  "code-guesses": ["The code is wrong"],
  "link-expired": ["The code has expired"],
  "host-untrusted": ["UntrustedHost", "the Host header is not trusted"],
  "host-not-listed": ["which is not in allowedOrigins"],
  "mail-rejected": ["The email could not be sent"],
  "mail-unreachable": ["The email could not be sent"],
  "passkey-counter": ["counter: has not grown; the key may be cloned"],
  "credentials-wrong": ["CredentialsSignin"],
  "second-factor-wrong": ["SecondFactorWrong"],
  "second-step-expired": ["HeldExpired"],
  "provider-unknown": ["InvalidProvider"],
  "config-invalid": ["InvalidConfiguration", "MissingSecret", "MissingAdapter"],
  "account-of-another-user": ["OAuthAccountNotLinked", "AccountNotLinked"],
  "adapter-failed": ["AdapterError"],
  "rate-limited": ["TooManyRequests"],
  "reauthentication-needed": ["FreshnessRequired"],
  "profile-invalid": ["OAuthProfileParseError"],
}

const readSources = (pattern) =>
  globSync(pattern, { cwd: root, exclude: ["**/*.test.*"] }).map((file) => readFileSync(join(root, file), "utf8"))

function assertSaid() {
  const sources = readSources("packages/core/src/**/*.{ts,tsx}").join("\n")
  const lost = Object.values(seen)
    .flat()
    .filter((text) => !sources.includes(text))
  if (lost.length > 0) throw new Error(`docs/scripts/mistakes.mjs: nothing says ${lost.join("; ")}`)
}

const toList = (items) => items.map((item) => `- ${prose(item)}`).join("\n")

function describeReason(reason, { tellStory }, titles) {
  const { sentences, fixes, guide } = tellStory(reason)
  const texts = (seen[reason] ?? []).map((text) => `\`${text}\``)
  return [
    `## \`${reason}\``,
    prose(sentences.join(" ")),
    toList(fixes),
    ...(texts.length > 0 ? [`In the log: ${texts.join(", ")}.`] : []),
    `Guide: ${linkToGuide(guide, titles)}.`,
  ].join("\n\n")
}

function writeReasons(core, titles) {
  assertSaid()
  writePage(
    "reference/reasons.md",
    [
      "# Reasons of failures",
      "Why a sign-in or a request failed, more exactly than the type of its error. `logger.record`, the console and the error page of a developer name the reason; [`latchkey explain`](../guides/finding-mistakes.md#why-a-sign-in-failed) tells it with its facts.",
      ...core.failureReasons.map((reason) => describeReason(reason, core, titles)),
    ].join("\n\n"),
  )
  return "reference/reasons.md"
}

const parse = (text) => ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true)

function findNodes(root, isWanted) {
  const found = []
  const visit = (node) => {
    if (isWanted(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return found
}

/** The value of a name, as the nearest declaration before its use has it. */
function resolve(node) {
  if (!ts.isIdentifier(node)) return node
  const isSeen = (each) => ts.findAncestor(each, (outer) => ts.isBlock(outer) || ts.isSourceFile(outer)).end >= node.end
  const declared = findNodes(
    node.getSourceFile(),
    (each) =>
      ts.isVariableDeclaration(each) && each.initializer && each.name.getText() === node.text && each.pos < node.pos,
  ).findLast(isSeen)
  return declared?.initializer ?? node
}

/** The texts of an expression, with three dots in place of what is inserted. */
function textsOf(given) {
  const node = resolve(given)
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node))
    return [
      node.head.text +
        node.templateSpans
          .map(({ literal }) => `…${literal.text}`)
          .join("")
          .replace(/…+/g, "…"),
    ]
  return ts.isConditionalExpression(node) ? [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)] : []
}

/** The property of an object, also one without a value of its own: `{ sentence }`. */
function findProperty(node, name) {
  const property = node?.properties?.find((each) => each.name?.getText() === name)
  return property?.initializer ?? property?.name
}

/** The sentence of a parameter, as in `const warn = (sentence) => createFinding("clock", { sentence })`: where the function is called. */
function textsOfCalls(sentence) {
  const isOwn = (each) => each.parameters.some((parameter) => parameter.name.getText() === sentence.getText())
  const made = ts.findAncestor(sentence, (each) => ts.isFunctionLike(each) && isOwn(each))
  const index = made?.parameters.findIndex((parameter) => parameter.name.getText() === sentence.getText()) ?? -1
  const name = (made?.name ?? made?.parent.name)?.getText()
  const calls = findNodes(
    sentence.getSourceFile(),
    (each) => ts.isCallExpression(each) && each.expression.getText() === name,
  )
  return calls.flatMap(({ arguments: given }) => {
    const argument = given[index]
    const own = argument && findProperty(argument, "sentence")
    return own ? textsOf(own) : argument ? textsOf(argument) : []
  })
}

/** What the doctor says, by code: the sentences that its sources write out. */
function readSentences() {
  const said = new Map()
  for (const text of readSources("packages/cli/src/doctor/*.ts")) {
    const calls = findNodes(
      parse(text),
      (node) => ts.isCallExpression(node) && node.expression.getText() === "createFinding",
    )
    for (const {
      arguments: [code, details],
    } of calls) {
      const sentence = findProperty(details, "sentence") ?? details
      const texts = textsOf(sentence)
      const all = texts.length > 0 || !ts.isIdentifier(sentence) ? texts : textsOfCalls(sentence)
      for (const name of textsOf(code)) said.set(name, [...(said.get(name) ?? []), ...all])
    }
  }
  return said
}

/** The entries of an object of texts that a file declares. */
function readTable(file, name) {
  const tables = findNodes(
    parse(readFileSync(join(root, file), "utf8")),
    (node) => ts.isVariableDeclaration(node) && node.name.getText() === name,
  )
  return tables[0].initializer.properties.map((each) => [each.name.text, each.initializer])
}

/** What adapters say about their stores, by the code that the doctor gives it. */
function readStoreSentences() {
  const codes = new Map(
    readTable("packages/cli/src/doctor/store.ts", "kinds").map(([kind, node]) => [
      kind,
      findProperty(node, "code").text,
    ]),
  )
  return readSources("packages/{adapter-kit,redis-adapter,unstorage-adapter}/src/*.ts").flatMap((text) =>
    findNodes(parse(text), (node) => ts.isObjectLiteralExpression(node) && findProperty(node, "sentence")).flatMap(
      (node) => {
        const code = codes.get(findProperty(node, "kind")?.text)
        return code === undefined ? [] : textsOf(findProperty(node, "sentence")).map((sentence) => [code, sentence])
      },
    ),
  )
}

/** What the service says in the log about its configuration: the sentence of a warning, or the type of an error. */
function readConfigurationSentences({ describeWarning }) {
  return readTable("packages/cli/src/doctor/configuration.ts", "codes").map(([name, { text: code }]) => [
    code,
    /^[A-Z]/.test(name) ? `\`${name}\`` : describeWarning(name).replace(/ See the guide .*$/, ""),
  ])
}

/** What providers and mail servers answer, and what no source of ours writes out. */
const seenOutside = {
  address: ["The app takes itself to be at …; visitors use …."],
  "config-invalid": ["`InvalidConfiguration`"],
  "config-warning": ["A [warning of the log](log.md#warnings) that has no finding of its own."],
  "client-secret": ["`invalid_client`", "`unauthorized_client`"],
  "client-auth-method": ["`invalid_client`"],
  issuer: ["The discovery document names another issuer, or there is none."],
  "provider-unreachable": ["`ECONNREFUSED`, `ENOTFOUND`, `ETIMEDOUT`"],
  tables: ["`relation \"Account\" does not exist`, `no such table: Account`, `Table 'Account' doesn't exist`"],
  columns: ["`Unknown column`, `no such column`"],
  "store-unreachable": ["`ECONNREFUSED`, `password authentication failed`"],
  "mail-unreachable": ["The mail server cannot be reached, does not greet, or does not encrypt."],
  "mail-login": ["The mail server refuses the user name or password (`535`)."],
  "mail-sender": ["The mail server refuses the sender's address (`550`)."],
}

const sourceNames = {
  "public-routes": "the running site (`--url`)",
  inside: "the running site with `doctor: answerDoctor()`",
  configuration: "the configuration",
  files: "the files of the app",
  store: "the database",
  mail: "the mail server",
  providers: "the providers",
}

function describeFinding(code, { sources, guide, causes = [] }, sentences, titles) {
  const links = causes.map((cause) => `[\`${cause}\`](#${cause})`)
  return [
    `## \`${code}\``,
    ...[...new Set(sentences)].map((sentence) => prose(sentence)),
    [
      `- Seen in: ${sources.map((name) => sourceNames[name]).join(", ")}`,
      ...(links.length > 0 ? [`- Follows from: ${links.join(", ")}`] : []),
      `- Guide: ${linkToGuide(guide, titles)}`,
    ].join("\n"),
  ].join("\n\n")
}

async function writeFindings(core, titles) {
  const { findingKinds } = await import("../../packages/cli/src/doctor/finding.ts")
  const sentences = readSentences()
  const others = [...readConfigurationSentences(core), ...readStoreSentences()]
  const sections = Object.entries(findingKinds).map(([code, kind]) => {
    const found = others.flatMap(([name, sentence]) => (name === code ? [sentence] : []))
    const said = [...(sentences.get(code) ?? []), ...found, ...(seenOutside[code] ?? [])].filter((text) =>
      /\w{3}/.test(text),
    )
    if (said.length === 0) throw new Error(`docs/scripts/mistakes.mjs: nothing says ${code}`)
    return describeFinding(code, kind, said, titles)
  })
  writePage(
    "reference/findings.md",
    [
      "# Findings of the doctor",
      "What [`latchkey doctor`](../guides/finding-mistakes.md#what-is-wrong-with-a-site) looks for. It names the line to change with each finding; three dots stand for what it inserts.",
      ...sections,
    ].join("\n\n"),
  )
  return "reference/findings.md"
}

/** Returns the paths of the pages. */
export async function writeMistakes(core) {
  const titles = readTitles()
  return [writeReasons(core, titles), await writeFindings(core, titles)]
}
