import { AuthError } from "../errors/auth-error.js"
import { readFacts } from "../errors/failure-reason.js"
import type { LoggerInstance } from "../types/logger.js"

/** The default logger. */
export const consoleLogger: Required<Omit<LoggerInstance, "record">> = {
  error(error) {
    const reference = error instanceof AuthError ? ` (reference ${error.reference})` : ""
    console.error(`[auth][error] ${error.name}: ${toOneLine(error.message)}${reference}`)
    for (const line of describeCause(error)) console.error(line)
  },
  warn(code, detail) {
    const cause = detail === undefined ? "" : ` ${toOneLine(detail).replace(/(?<![.?])$/, ".")}`
    // The line waits for its sentence, which is loaded now: most processes warn about nothing.
    import("./warnings.js")
      .then(
        ({ describeWarning }) => ` ${describeWarning(code)}`,
        () => "",
      )
      .then((sentence) => console.warn(`[auth][warn][${code}]${cause}${sentence}`))
      .catch(() => {}) // Even the console failed.
  },
  debug(message, metadata) {
    console.log(`[auth][debug]: ${toOneLine(message)}`, metadata ?? "")
  },
}

const maxCauseLines = 5
const maxStackLength = 4_000
const maxFieldLength = 200

/**
 * The causes of an error as lines for a log: the details of each, and its stack.
 * @internal Exported for its tests.
 */
export function describeCause(error: Error): readonly string[] {
  const causes: (Error | string)[] = []
  const seen = new Set<unknown>([error])
  let current = error.cause
  while (typeof current === "object" && current !== null && !seen.has(current) && causes.length < maxCauseLines) {
    seen.add(current)
    const details = current instanceof Error ? "" : describeFields(current)
    if (details !== "") causes.push(details)
    const inner: unknown = current instanceof Error ? current : Reflect.get(current, "err")
    if (inner instanceof Error) causes.push(inner)
    current = inner instanceof Error ? inner.cause : undefined
  }
  // Nobody made a mistake in the code, so its place does not help: another server is down.
  const describe = causes.some(isOutage) ? describeMessage : describeStack
  return causes.map((cause) => `  [cause] ${typeof cause === "string" ? cause : describe(cause)}`)
}

/** What Node, undici, database drivers and SQL servers (SQLSTATE) call a connection that failed. */
const outageCodes =
  /^(?:ECONN\w+|ESOCKET\w*|EPIPE|E(?:HOST|NET)(?:UNREACH|DOWN)|ETIMEDOUT|ETIMEOUT|ENOTFOUND|EAI_\w+|EDNS|UND_ERR_\w+|PROTOCOL_CONNECTION_LOST|08\w{3}|57P\w{2}|53300)$/

function isOutage(cause: Error | string): boolean {
  if (typeof cause === "string") return false
  return cause.name === "TimeoutError" || outageCodes.test(String(Reflect.get(cause, "code")))
}

/** Of several addresses of a host, each has its own error, and the error of all has no message. */
function describeMessage(error: Error): string {
  const tried: unknown = Reflect.get(error, "errors")
  const messages = Array.isArray(tried) ? tried.flatMap((one) => (one instanceof Error ? one.message : [])) : []
  return toOneLine(`${error.name}: ${error.message || messages.join("; ")}`)
}

/** The message on one line, and the stack indented below it, so that no line can be taken for a log record. */
function describeStack({ message, stack = message }: Error): string {
  const text = message === "" ? stack : stack.replace(message, () => toOneLine(message))
  return text.slice(0, maxStackLength).split("\n").map(toOneLine).join("\n    ")
}

/** Text and numbers only, because objects of the app may contain secrets. */
function describeFields(cause: object): string {
  return Object.entries({ ...cause, ...readFacts({ ...cause }) })
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => `${toOneLine(name)}: ${toOneLine(String(value).slice(0, maxFieldLength))}`)
    .join(", ")
}

const urlWithPassword = /:\/\/[^\s/?#@:]*:[^\s/?#@]*@/

/** Whether the text has a URL with a user name and a password. */
export function hasPassword(text: string): boolean {
  return urlWithPassword.test(text)
}

/** Removes user names and passwords from URLs: database drivers quote the connection string in their errors. */
export function maskPasswords(text: string): string {
  return text.includes("://") ? text.replace(new RegExp(urlWithPassword, "g"), "://[withheld]@") : text
}

/** Escapes control characters, so that untrusted text cannot start a new line, and cuts it at 2,000 characters. */
export function toOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
  return maskPasswords(text.slice(0, 2_000)).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
