import type { FieldKind } from "./record-models.js"

/** Text as it is, numbers as text: providers send numbers as ids. Undefined for anything else. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined
}

/** As `toText`, but rejects lone surrogates: they are stored as U+FFFD, which would make different keys equal. */
export function toKeyText(value: unknown): string | undefined {
  const text = toText(value)
  return text?.isWellFormed() ? text : undefined
}

const decimal = /^(?:0|[1-9]\d{0,18})$/
const largestInteger = 2n ** 63n - 1n

/** A key of digits as a signed 64-bit integer. One text per number: databases would read `05` and `5 ` as 5, too. */
export function parseIntegerKey(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined
  const integer = BigInt(text)
  return integer <= largestInteger ? integer : undefined
}

const firstInstant = Date.parse("0001-01-01T00:00:00.000Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

/** Whether the value is a date of any realm: a driver may run outside of the `vm` context of the app. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === "[object Date]"
}

/** Accepts years of four digits: others do not sort as text, and not every database supports them. */
export function isStorableDate(value: unknown): value is Date {
  return isDate(value) && value.getTime() >= firstInstant && value.getTime() <= lastInstant
}

/**
 * A field as an object mapper returns it.
 * @throws TypeError with the field's name when the database contains a value of another kind
 */
export function readField(value: unknown, kind: FieldKind, field: string): unknown {
  return readers[kind](value, field)
}

const readers: Readonly<Record<FieldKind, (value: unknown, field: string) => unknown>> = {
  key: readKey,
  text: String,
  number: Number,
  boolean: readBoolean,
  date: readDate,
}

/**
 * A key as text.
 * @throws TypeError for a number that is not exact: the driver, or the mode of its column, rounded it to another user's id
 */
export function readKey(value: unknown, field: string): string {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return String(value)
  throw new TypeError(
    `${field} contains an integer that a number cannot hold. Let the driver return it as a bigint or as text`,
  )
}

/** A boolean column of any database: some return 1 and 0, as a number, a bigint or text. */
export function readBoolean(value: unknown): boolean {
  return value === true || (value !== false && Number(value) === 1)
}

function readDate(value: unknown, field: string): Date {
  if (isDate(value) && !Number.isNaN(value.getTime())) return value
  throw new TypeError(`${field} contains no valid date`)
}
