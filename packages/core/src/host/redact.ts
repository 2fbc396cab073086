import { hasPassword, maskPasswords } from "../log/console.js"
import { isRecord } from "../runtime/json.js"
import { isDate } from "../runtime/merge.js"

/** Shorter texts occur by chance, in words and file names. */
const minLength = 6
const maxDepth = 5
/** Members of an error to search; database drivers attach whole connections. */
const maxMembers = 500

/**
 * Removes secrets from an error of the app's code before it is logged: databases quote values such as session tokens in
 * their messages, mail services the sign-in link, and drivers the connection string with its password.
 * @param values The arguments of the call that failed.
 * @returns the error itself if it quotes none of them; else a copy of its name, code, message and stack without them.
 */
export function cleanError(error: Error, values: readonly unknown[]): Error {
  const found = listWithheldTexts(values).filter(({ length }) => length >= minLength)
  // Longest first: a link before the token in it.
  const texts = found.toSorted((one, other) => other.length - one.length)
  return mayQuote(error, texts) ? toCleanCopy(error, texts, maxDepth) : error
}

function mayQuote(error: Error, texts: readonly string[]): boolean {
  try {
    return isQuoting(error, texts)
  } catch {
    return true // A member throws when it is read, so it may quote anything.
  }
}

function isQuoting(error: Error, texts: readonly string[]): boolean {
  const found = new Set<unknown>([error])
  // The loop also visits what it adds, each value once.
  for (const value of found) {
    if (typeof value === "string" && (hasPassword(value) || texts.some((text) => value.includes(text)))) return true
    if (typeof value === "object" && value !== null && found.size < maxMembers) {
      for (const member of membersOf(value)) found.add(member)
    }
  }
  return false
}

function membersOf(value: object): readonly unknown[] {
  if (ArrayBuffer.isView(value)) return []
  const hidden = value instanceof Error ? [value.message, value.stack, value.cause] : []
  return [...hidden, ...Object.keys(value), ...Object.values(value)]
}

function toCleanCopy(error: Error, texts: readonly string[], depth: number): Error {
  const { cause } = error
  const inner = cause instanceof Error && depth > 1 ? { cause: toCleanCopy(cause, texts, depth - 1) } : {}
  const copy = new Error(withhold(error.message, texts), inner)
  const stack = withhold(error.stack ?? "", texts)
  const define = (name: string, value: unknown) => Object.defineProperty(copy, name, { value, configurable: true })
  define("name", error.name)
  define("stack", stack)
  const code: unknown = Reflect.get(error, "code")
  if (typeof code === "number") define("code", code)
  if (typeof code === "string") define("code", withhold(code, texts))
  return copy
}

/** Fields of records without personal data and secrets. All others are withheld, because apps add their own. */
const shownFields: ReadonlySet<string> = new Set([
  "counter",
  "credentialBackedUp",
  "credentialDeviceType",
  "emailVerified",
  "expires",
  "expires_at",
  "id",
  "lastUsedAt",
  "provider",
  "token_type",
  "type",
  "userId",
])

const withheld = "[withheld]"

/** The arguments of an adapter's method for the log. Values outside of a record, such as a session token, are withheld. */
export function showArguments(values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => {
    if (!hasFields(value)) return withheld
    const shown = Object.entries(value).map(([name, field]) => [name, shownFields.has(name) ? field : withheld])
    return Object.fromEntries(shown)
  })
}

/**
 * The texts in the arguments that a log must not contain.
 * @internal Exported for its tests.
 */
export function listWithheldTexts(values: readonly unknown[]): readonly string[] {
  const hidden = values.flatMap((value) => {
    if (!hasFields(value)) return [value]
    return Object.entries(value).flatMap(([name, field]) => (shownFields.has(name) ? [] : [field]))
  })
  return hidden.filter((value) => typeof value === "string")
}

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !isDate(value)
}

/**
 * Replaces every occurrence of the given texts.
 * @internal Exported for its tests.
 */
export function withhold(text: string, texts: readonly string[]): string {
  return maskPasswords(texts.reduce((shown, each) => shown.replaceAll(each, withheld), text))
}
