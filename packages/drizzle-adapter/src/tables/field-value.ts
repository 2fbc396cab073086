import { isSQLWrapper } from "drizzle-orm"
import type { FieldKind } from "./models.js"
import type { FieldColumn } from "./record-table.js"

/**
 * A field as Drizzle's column takes it; undefined where the column cannot hold it as it is, where Drizzle would run it,
 * or where a driver would take it for more than a value.
 */
export function toColumnValue(value: unknown, { kind, column }: FieldColumn): unknown {
  if (value === null) return null
  return kind === "own" ? toOwnValue(value, column.dataType) : writers[kind](value, column.dataType)
}

/** @throws TypeError that names the field when the database holds something of another kind */
export function fromColumnValue(value: unknown, { field, kind }: FieldColumn): unknown {
  if (value === null || value === undefined) return null
  return kind === "own" ? value : readers[kind](value, field)
}

type Writer = (value: unknown, dataType: string) => unknown

const writers: Readonly<Record<FieldKind, Writer>> = {
  key: toKey,
  text: toText,
  number: (value, dataType) => (Number.isFinite(value) ? toNumber(Number(value), dataType) : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  date: (value) => (isStorableDate(value) ? value : undefined),
}

const readers: Readonly<Record<FieldKind, (value: unknown, field: string) => unknown>> = {
  key: String,
  text: String,
  number: Number,
  boolean: (value) => value === true || (value !== false && Number(value) === 1),
  date: readDate,
}

/** What the host's own columns take, where a driver would do something of its own with other values. */
const ownWriters: Readonly<Record<string, Writer>> = {
  string: toText,
  number: writers.number,
  bigint: (value) => (typeof value === "bigint" ? value : undefined),
  boolean: writers.boolean,
  date: writers.date,
}

function toOwnValue(value: unknown, dataType: string): unknown {
  const writer = ownWriters[dataType]
  if (writer !== undefined) return writer(value, dataType)
  return isSQLWrapper(value) ? undefined : value
}

/** Providers give numbers where text is meant, as ids above all. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined
}

/** A lone surrogate would become U+FFFD on its way, so that two different texts were one. */
function toKey(value: unknown, dataType: string): string | number | bigint | undefined {
  const text = toText(value)
  if (text === undefined || !text.isWellFormed()) return undefined
  return dataType === "number" || dataType === "bigint" ? toInteger(text, dataType) : text
}

const decimal = /^(?:0|[1-9]\d{0,18})$/
const largestInteger = 2n ** 63n - 1n

/** One text for each number: databases would take `05` and `5 ` for 5 as well. */
function toInteger(text: string, dataType: "number" | "bigint"): number | bigint | undefined {
  if (!decimal.test(text)) return undefined
  const integer = BigInt(text)
  if (dataType === "bigint") return integer <= largestInteger ? integer : undefined
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : undefined
}

function toNumber(value: number, dataType: string): number | bigint | undefined {
  if (dataType !== "bigint") return value
  return Number.isInteger(value) ? BigInt(value) : undefined
}

/** Years of four digits: not every database knows others. */
function isStorableDate(value: unknown): value is Date {
  return value instanceof Date && value.getTime() >= firstInstant && value.getTime() <= lastInstant
}

const firstInstant = Date.parse("0001-01-01T00:00:00.000Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

function readDate(value: unknown, field: string): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value
  throw new TypeError(`${field} holds no date that can be read`)
}
