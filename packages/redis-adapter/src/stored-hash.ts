/** A hash of Redis: the fields of a record, each behind `.`, and what the adapter itself notes beside them. */
export type StoredHash = Readonly<Record<string, string>>

const fieldMark = "."
const dateMark = "@"

/**
 * The fields of a record as names and texts in turn. A text is JSON, or `@` and an ISO date; so every type comes back
 * as it was, and nothing that a record is called can meet a note of the adapter. What is undefined is left out.
 * @throws TypeError for a value that neither can hold
 */
export function toStored(record: object): readonly string[] {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => [fieldMark + name, toText(name, value)])
}

function toText(name: string, value: unknown): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.valueOf())) throw new TypeError(`${name} holds no date`)
    return dateMark + value.toISOString()
  }
  if (
    ["function", "symbol", "bigint"].includes(typeof value) ||
    (typeof value === "number" && !Number.isFinite(value))
  ) {
    throw new TypeError(`${name} holds what JSON cannot`)
  }
  return JSON.stringify(value)
}

/** The record of a hash, of the type that its kind of key is for. Null when there is none. */
export function fromStored<T extends object>(hash: StoredHash): T | null {
  const fields = Object.entries(hash).filter(([name]) => name.startsWith(fieldMark))
  if (fields.length === 0) return null
  // as: what is under a key was written by `toStored` of such a record.
  return Object.fromEntries(fields.map(([name, text]) => [name.slice(fieldMark.length), fromText(text)])) as T
}

function fromText(text: string): unknown {
  return text.startsWith(dateMark) ? new Date(text.slice(dateMark.length)) : JSON.parse(text)
}

/** One field of a record; undefined when it is not there. */
export function readField(hash: StoredHash, name: string): unknown {
  const text = hash[fieldMark + name]
  return text === undefined ? undefined : fromText(text)
}

/**
 * A hash as a client or a script gives it: an object, or names and texts in turn.
 * @throws TypeError when the client was told to give something else than text
 */
export function toHash(reply: unknown): StoredHash {
  const pairs: readonly (readonly unknown[])[] = Array.isArray(reply) ? inPairs(reply) : Object.entries(reply ?? {})
  return Object.fromEntries(pairs.map(([name, text]) => [asText(name), asText(text)]))
}

function inPairs(items: readonly unknown[]): readonly (readonly unknown[])[] {
  return Array.from({ length: items.length / 2 }, (_, index) => items.slice(index * 2, index * 2 + 2))
}

function asText(value: unknown): string {
  if (typeof value === "string") return value
  throw new TypeError("Redis: the client must give text")
}

/** The list of texts that a script gives. */
export function toTexts(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(asText) : []
}
