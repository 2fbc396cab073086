import type { StoredItem } from "./key-value-storage.js"

type StoredFields = StoredItem["fields"]

// Keeps names apart from those that a parser of JSON treats in a way of its own.
const fieldMark = "."
const dateMark = "@"

/**
 * The fields of a record as texts: JSON, or `@` and an ISO date, so that every type comes back as it was. What is
 * undefined is left out.
 * @throws TypeError for a value that neither can hold
 */
export function toStored(record: object): StoredFields {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields.map(([name, value]) => [fieldMark + name, toText(name, value)]))
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

/** The record of an item that `toStored` made of one of this type. */
export function fromStored<T extends object>({ fields }: StoredItem): T {
  const entries = Object.entries(fields).map(([name, text]) => [name.slice(fieldMark.length), fromText(text)])
  return Object.fromEntries(entries) as T // as: what is under a key was written as such a record
}

function fromText(text: string): unknown {
  return text.startsWith(dateMark) ? new Date(text.slice(dateMark.length)) : JSON.parse(text)
}

/** One field of a record; undefined when it is not there. */
export function readField({ fields }: StoredItem, name: string): unknown {
  const text = fields[fieldMark + name]
  return text === undefined ? undefined : fromText(text)
}
