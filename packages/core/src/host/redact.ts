import { AuthError, toError } from "../errors/auth-error.js"
import { CallbackRouteError } from "../errors/errors.js"
import { threwIn } from "../errors/failure-reason.js"
import { hasPassword, maskPasswords } from "../log/console.js"
import { isRecord } from "../runtime/json.js"
import { isDate } from "../runtime/merge.js"
import type { Awaitable } from "../types/basics.js"

/** Shorter texts occur by chance, in words and file names. */
const minLength = 6
const maxDepth = 5
/** Members of an error to search; database drivers attach whole connections. */
const maxMembers = 500

/**
 * Removes secrets from an error of the app's code before it is logged: databases quote values such as session tokens in
 * their messages, mail services the sign-in link, callbacks the profile of a user, and drivers the connection string with its
 * password.
 * @param values The arguments of the call that failed.
 * @returns the error itself if it quotes none of them, or is one of ours; else a copy of its name, code, message and stack
 *   without them.
 */
export function cleanError(error: Error, values: readonly unknown[]): Error {
  const found = listWithheldTexts(values)
    .flatMap(listForms)
    .filter(({ length }) => length >= minLength)
  // Longest first: a link before the token in it.
  const texts = [...new Set(found)].toSorted((one, other) => other.length - one.length)
  return !(error instanceof AuthError) && mayQuote(error, texts) ? toCleanCopy(error, texts, maxDepth) : error
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

/**
 * Calls a function of the app.
 * @param callback Its name, as its option has it.
 * @param values What it gets.
 * @throws CallbackRouteError when it throws, unless that is an error of ours
 */
export async function runApp<T>(callback: string, work: () => Awaitable<T>, values: readonly unknown[]): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof AuthError) throw thrown
    const err = cleanError(toError(thrown), values)
    throw new CallbackRouteError(`${callback} failed`, threwIn(callback, err))
  }
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

/** Fields of callbacks whose texts are words of the protocol. */
const wordFields: ReadonlySet<string> = new Set(["scope", "trigger"])

/**
 * The texts in the arguments that a log must not contain, at any depth.
 * @internal Exported for its tests.
 */
export function listWithheldTexts(values: readonly unknown[]): readonly string[] {
  const texts: string[] = []
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") texts.push(value)
    else if (typeof value !== "object" || value === null || depth === 0) return
    else if (Array.isArray(value)) for (const member of value) visit(member, depth - 1)
    else for (const member of listHidden(value)) visit(member, depth - 1)
  }
  for (const value of values) visit(value, maxDepth)
  return texts
}

/** The members of an object that are withheld. Of a request: its URL, the values of its headers, and each cookie. */
function listHidden(value: object): readonly unknown[] {
  if (value instanceof URL) return [value.href]
  if (value instanceof Request) return [value.url, value.headers]
  // Headers of any runtime.
  if (Symbol.iterator in value && "get" in value)
    return [...(value as Headers)].flatMap(([, text]) => [text, ...text.split(/; |=/)]) // as: those of a request.
  if (!hasFields(value)) return []
  return Object.entries(value).flatMap(([name, field]) =>
    shownFields.has(name) || wordFields.has(name) ? [] : [field],
  )
}

/** A text as it may be quoted: plain, in a URL, and in HTML. Of a URL, also the values in its query. */
function listForms(text: string): readonly string[] {
  const [, query = ""] = /^[^\s?]*\?([^\s#]+)/.exec(text) ?? []
  return [text, ...new URLSearchParams(query).values()].flatMap((each) => [
    each,
    encodeURIComponent(each.toWellFormed()),
    each.replaceAll("&", "&amp;"),
  ])
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
