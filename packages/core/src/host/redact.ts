/** Shorter texts are found by chance, in words and in the names of files. */
const minLength = 6
const maxDepth = 5
/** Members of an error that are looked at; drivers hang whole connections to theirs. */
const maxMembers = 500

/**
 * What the host's code threw, fit for a log: databases quote the values of a statement in their messages (a session's
 * token, say), mail services the link. Where none of the values that the code was called with is quoted it is the very
 * error; else one of the same name, code, message and stack, with the values taken out.
 */
export function cleanError(error: Error, values: readonly unknown[]): Error {
  const found = listWithheldTexts(values).filter(({ length }) => length >= minLength)
  // A link before the token in it.
  const texts = found.toSorted((one, other) => other.length - one.length)
  return texts.length > 0 && mayQuote(error, texts) ? toCleanCopy(error, texts, maxDepth) : error
}

/** What cannot be looked through, because a member of it throws, may quote anything. */
function mayQuote(error: Error, texts: readonly string[]): boolean {
  try {
    return isQuoting(error, texts)
  } catch {
    return true
  }
}

function isQuoting(error: Error, texts: readonly string[]): boolean {
  const found = new Set<unknown>([error])
  // A set that grows is walked to its new end: each member of a member once.
  for (const value of found) {
    if (typeof value === "string" && texts.some((text) => value.includes(text))) return true
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
 * Fields of records that tell what was done and nothing of a person or a secret. Every other one is withheld, whatever
 * it is called: hosts have fields of their own.
 */
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

/**
 * What an adapter is called with, as a log may hold it: each field by its name. What has no name, such as a session's
 * token, is withheld.
 */
export function showArguments(values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => (isRecord(value) ? showFields(value) : withheld))
}

/** The texts of the arguments that a log must not hold. */
export function listWithheldTexts(values: readonly unknown[]): readonly string[] {
  const hidden = values.flatMap((value) => {
    if (!isRecord(value)) return [value]
    return Object.entries(value).flatMap(([name, field]) => (shownFields.has(name) ? [] : [field]))
  })
  return hidden.filter((value) => typeof value === "string")
}

/** A text with every occurrence of the given ones taken out. */
export function withhold(text: string, texts: readonly string[]): string {
  return texts.reduce((shown, each) => shown.replaceAll(each, withheld), text)
}

function showFields(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(record).map(([name, value]) => [name, shownFields.has(name) ? value : withheld])
  return Object.fromEntries(shown)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(value instanceof Date) && !Array.isArray(value)
}
