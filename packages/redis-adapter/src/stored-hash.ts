/** A Redis hash: the fields of a record, each with a leading `.`, and the adapter's own fields without it. */
export type StoredHash = Readonly<Record<string, string>>

const fieldMark = "."
const dateMark = "@"

/**
 * Converts a record to alternating names and values. A value is JSON, or `@` and an ISO date, so that every type can be
 * restored, and no field of a record collides with one of the adapter. Undefined fields are left out.
 * @throws TypeError for a value that neither format supports
 */
export function toStored(record: object): readonly string[] {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => [fieldMark + name, toText(name, value)])
}

function toText(name: string, value: unknown): string {
  if (isDate(value)) return dateMark + new Date(toMs(value, name)).toISOString()
  const isUnsupported = ["function", "symbol", "bigint"].includes(typeof value)
  if (isUnsupported || (typeof value === "number" && !Number.isFinite(value))) {
    throw new TypeError(`${name} must be a value that JSON supports`)
  }
  return JSON.stringify(value)
}

/** Whether the value is a date of any realm, such as the `vm` context of a test runner. */
function isDate(value: unknown): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === "[object Date]"
}

/**
 * Milliseconds since 1970-01-01T00:00:00Z.
 * @throws TypeError if the date is invalid
 */
export function toMs(date: Date, name = "expires"): number {
  const ms = date.valueOf()
  if (Number.isNaN(ms)) throw new TypeError(`${name} must be a valid date`)
  return ms
}

/** The record of a hash, of the type that its kind of key holds. Null if there is none. */
export function fromStored<T extends object>(hash: StoredHash): T | null {
  const fields = Object.entries(hash).filter(([name]) => name.startsWith(fieldMark))
  if (fields.length === 0) return null
  // as: the value of a key was written by `toStored` of such a record.
  return Object.fromEntries(fields.map(([name, text]) => [name.slice(fieldMark.length), fromText(text)])) as T
}

function fromText(text: string): unknown {
  return text.startsWith(dateMark) ? new Date(text.slice(dateMark.length)) : JSON.parse(text)
}

/** One field of a record; undefined if it is missing. */
export function readField(hash: StoredHash, name: string): unknown {
  const text = hash[fieldMark + name]
  return text === undefined ? undefined : fromText(text)
}

/**
 * Converts the reply of a client or a script: an object, or alternating names and values.
 * @throws TypeError if the client is configured to return anything else than strings
 */
export function toHash(reply: unknown): StoredHash {
  const pairs: readonly (readonly unknown[])[] = Array.isArray(reply) ? inPairs(reply) : Object.entries(reply ?? {})
  return Object.fromEntries(pairs.map(([name, text]) => [asString(name), asString(text)]))
}

function inPairs(items: readonly unknown[]): readonly (readonly unknown[])[] {
  return Array.from({ length: items.length / 2 }, (_, index) => items.slice(index * 2, index * 2 + 2))
}

function asString(value: unknown): string {
  if (typeof value === "string") return value
  throw new TypeError("Redis: the client must return strings, not buffers")
}

/** The list of strings that a script returns. */
export function toStrings(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(asString) : []
}
