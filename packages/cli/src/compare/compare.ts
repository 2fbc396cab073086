import { parseArgs } from "node:util"
import { type CommandContext, trimSlashes, UsageError } from "../config.js"
import { createPaint, createProgress, escapeText, symbols, toJsonLine, wrap } from "../terminal.js"
import { type Answer, compareAnswers, type Difference, type Probe } from "./differences.js"

const usage = `Usage: latchkey compare --old <url> --new <url> [options]

Sends the same requests to two services, such as the one of Auth.js and the one that will replace it, and shows where status,
location, headers, names and attributes of cookies, or the fields of JSON differ. Differences that the guide "Migrating from
Auth.js" describes are counted, not shown.

  --old <url>         the base URL of the service until now, such as https://app.example/api/auth
  --new <url>         the base URL of the other one
  --cookie <cookie>   also compares what a signed-in user sees: the value of the Cookie header; "-" reads the standard input
  --all               also shows the differences that are described
  --json              prints JSON
  --help              prints this help

It signs no one in or out: it sends no credentials, and forms only without a CSRF token and without the cookie. No values of
cookies or sessions are printed. The exit code is 0 without differences to look at, 1 with some, and 2 if it could not ask.
`

const options = {
  old: { type: "string" },
  new: { type: "string" },
  cookie: { type: "string" },
  all: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const

const errors = ["Configuration", "AccessDenied", "Verification", "Default"]
const signInErrors = [
  "OAuthSignin",
  "OAuthCallback",
  "OAuthAccountNotLinked",
  "EmailSignin",
  "CredentialsSignin",
  "SessionRequired",
]

const probe = (method: Probe["method"], path: string, isSignedIn = false): Probe => ({ method, path, isSignedIn })

const pages = ["/signin", "/signout", "/verify-request", "/error"]
const anonymousProbes: readonly Probe[] = [
  ...["/session", "/csrf", "/providers", ...pages].map((path) => probe("GET", path)),
  ...errors.map((error) => probe("GET", `/error?error=${error}`)),
  ...signInErrors.map((error) => probe("GET", `/signin?error=${error}`)),
  ...["/callback/latchkey-compare", "/signin/latchkey-compare", "/latchkey-compare"].map((path) => probe("GET", path)),
  ...["/session", "/providers", ...pages].map((path) => probe("HEAD", path)),
  ...["/signin", "/signout", "/session", "/callback/credentials"].map((path) => probe("POST", path)),
]
const signedInProbes: readonly Probe[] = ["/session", "/csrf", "/providers", ...pages].map((path) =>
  probe("GET", path, true),
)

/**
 * `latchkey compare`.
 * @returns the exit code: 1 if there are differences to look at
 * @throws UsageError when the arguments are wrong, or a service cannot be reached
 */
export async function compare(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const [old, now] = [readBase("old", values.old), readBase("new", values.new)]
  const cookie = values.cookie === undefined ? undefined : await readCookie(values.cookie, context)
  if (cookie !== undefined) for (const base of [old, now]) assertPrivate(base)
  const progress = createProgress(context)
  const differences: Difference[] = []
  const all = [...anonymousProbes, ...(cookie === undefined ? [] : signedInProbes)]
  for (const each of all) {
    progress.step(`Asking: ${each.method} ${each.path}`)
    const [before, after] = await Promise.all([ask(old, each, cookie), ask(now, each, cookie)])
    differences.push(...compareAnswers(each, { base: old, answer: before }, { base: now, answer: after }))
  }
  progress.clear()
  const isNew = differences.some(({ known }) => known === null)
  context.print(values.json ? toJson(differences, all.length) : toText(differences, all.length, values.all, context))
  return isNew ? 1 : 0
}

function readBase(name: "old" | "new", text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new UsageError(`--${name} must be the base URL of a service, such as https://app.example/api/auth.`)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError(`--${name} must not have a password, a query or a fragment.`)
  url.pathname = trimSlashes(url.pathname)
  return url
}

async function readCookie(given: string, { input }: CommandContext): Promise<string> {
  const parts: Buffer[] = []
  if (given === "-") for await (const part of input ?? []) parts.push(part)
  const cookie = (given === "-" ? Buffer.concat(parts).toString() : given).trim().replace(/^cookie:\s*/i, "")
  if (!/^[\x20-\x7e]+$/.test(cookie) || !cookie.includes("="))
    throw new UsageError('--cookie must be the value of a Cookie header, such as "authjs.session-token=...".')
  return cookie
}

/** A session cookie is as good as a password. */
function assertPrivate(base: URL): void {
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(base.hostname)
  if (base.protocol !== "https:" && !isHere)
    throw new UsageError("--cookie is sent over https or to this machine only: anyone on the way could use it.")
}

const maxBytes = 1024 * 1024
const deadlineMs = 20_000

/** Asks one service. Forms have no fields and no cookie. Redirects are not followed, so that no other site gets the cookie. */
async function ask(base: URL, { method, path, isSignedIn }: Probe, cookie: string | undefined): Promise<Answer> {
  const headers = new Headers({ accept: "text/html,application/json;q=0.9", "user-agent": "latchkey compare" })
  if (isSignedIn && cookie !== undefined) headers.set("cookie", cookie)
  if (method === "POST") headers.set("content-type", "application/x-www-form-urlencoded")
  const body = method === "POST" ? "" : null
  try {
    const signal = AbortSignal.timeout(deadlineMs)
    const response = await fetch(`${base.origin}${base.pathname.replace(/\/$/, "")}${path}`, {
      method,
      headers,
      body,
      redirect: "manual",
      signal,
    })
    const isJson = response.headers.get("content-type")?.includes("json") && method !== "HEAD"
    const json = isJson ? await readJson(response) : undefined
    if (!isJson) await response.body?.cancel()
    return { status: response.status, headers: response.headers, json }
  } catch (cause) {
    throw new UsageError(`${base.origin} did not answer ${method} ${path}.`, { cause })
  }
}

/** Words are compared as a text. Of a body that is too large, no more is read: the end of the loop cancels the rest. */
async function readJson({ body }: Response): Promise<unknown> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > maxBytes) return "too large"
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString())
  } catch {
    return "not JSON"
  }
}

function toJson(differences: readonly Difference[], requests: number): string {
  return toJsonLine({ requests, differences }, 2)
}

function toText(differences: readonly Difference[], requests: number, isAll: boolean, context: CommandContext): string {
  const paint = createPaint(context)
  const known = differences.filter((difference) => difference.known !== null)
  const shown = isAll ? differences : differences.filter((difference) => difference.known === null)
  const byRequest = Map.groupBy(shown, ({ request }) => request)
  const parts = [...byRequest].map(([request, found]) => {
    const lines = found.map((each) =>
      [
        `  ${each.known === null ? paint.warning(symbols.warning) : paint.faint(symbols.good)} ${escapeText(each.part)}`,
        `      old: ${escapeText(each.old)}`,
        `      new: ${escapeText(each.new)}`,
        ...(each.known === null ? [] : wrap(each.known, "      ").map(paint.faint)),
      ].join("\n"),
    )
    return `${paint.strong(request)}\n${lines.join("\n")}\n`
  })
  const count = differences.length - known.length
  const found = count === 0 ? paint.good("No differences to look at") : `${count} differences to look at`
  const folded = `${known.length} that the guide "Migrating from Auth.js" describes`
  return `${[...parts, `${found}, and ${folded}, in ${requests} requests.`].join("\n")}\n`
}
