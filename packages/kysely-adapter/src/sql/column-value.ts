import type { Column, ColumnKind } from "../tables/column.js"
import type { SqlDialect } from "./dialect.js"
import { parseSqlDate } from "./sql-date.js"

/** What may be bound to a parameter. Never an object: some drivers take one for a bag of named parameters. */
export type SqlParameter = string | number | bigint | boolean | null

/** @throws TypeError that names the field, never the value, when the column cannot hold the value as it is. */
export function toParameter(value: unknown, column: Column, dialect: SqlDialect): SqlParameter {
  if (value === null || value === undefined) return null
  const parameter = writers[column.kind](value, dialect)
  if (parameter === undefined) throw new TypeError(`${column.field} must be ${expected[column.kind]}`)
  return parameter
}

/**
 * As `toParameter`, for a column that is looked up by; undefined where no row can have this text in it. Then the
 * database is not asked: its answer would be an error, which a visitor could provoke at will with a cookie, or a row
 * that has something like it.
 */
export function toKeyParameter(value: unknown, column: Column, dialect: SqlDialect): SqlParameter | undefined {
  return typeof value === "string" ? writers[column.kind](value, dialect) : toParameter(value, column, dialect)
}

/** @throws TypeError that names the field when the database holds something of another kind. */
export function fromColumn(value: unknown, column: Column): unknown {
  return value === null || value === undefined ? null : readers[column.kind](value, column.field)
}

const expected: Readonly<Record<ColumnKind, string>> = {
  key: "a text that the column can hold",
  longKey: "a text that the column can hold",
  integerKey: "a whole number in decimal digits",
  uuidKey: "a UUID in lower case",
  text: "a string",
  number: "a finite number",
  boolean: "a boolean",
  date: "a valid Date",
}

type Writer = (value: unknown, dialect: SqlDialect) => SqlParameter | undefined

const writers: Readonly<Record<ColumnKind, Writer>> = {
  key: (value, dialect) => toKey(value, "key", dialect),
  longKey: (value, dialect) => toKey(value, "longKey", dialect),
  integerKey: toIntegerKey,
  uuidKey: (value) => (typeof value === "string" && uuid.test(value) ? value : undefined),
  text: toText,
  number: (value) => (typeof value === "bigint" || isFiniteNumber(value) ? value : undefined),
  boolean: (value, dialect) => (typeof value === "boolean" ? dialect.toBooleanParameter(value) : undefined),
  date: (value, dialect) => (isStorableDate(value) ? dialect.toDateParameter(value) : undefined),
}

const readers: Readonly<Record<ColumnKind, (value: unknown, field: string) => unknown>> = {
  key: String,
  longKey: String,
  integerKey: String,
  uuidKey: String,
  text: String,
  number: Number,
  boolean: (value) => value === true || (value !== false && Number(value) === 1),
  date: readDate,
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const decimal = /^(?:0|[1-9]\d{0,18})$/
const largestInteger = 2n ** 63n - 1n

/** A lone surrogate would become U+FFFD on its way, so that two different texts were one. */
function toKey(value: unknown, kind: "key" | "longKey", dialect: SqlDialect): string | undefined {
  const text = toText(value)
  if (text === undefined || !text.isWellFormed() || !dialect.holdsKey(text, kind)) return undefined
  return dialect.storesNul || !text.includes("\0") ? text : undefined
}

/** One text for each number: databases would take `05` and `5 ` for 5 as well. */
function toIntegerKey(value: unknown): bigint | undefined {
  const text = toText(value)
  if (text === undefined || !decimal.test(text)) return undefined
  const integer = BigInt(text)
  return integer <= largestInteger ? integer : undefined
}

/** Providers give numbers where text is meant, as ids above all. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

/** Years of four digits: others do not sort as text, and not every database knows them. */
function isStorableDate(value: unknown): value is Date {
  return value instanceof Date && value.getTime() >= firstInstant && value.getTime() <= lastInstant
}

const firstInstant = Date.parse("0001-01-01T00:00:00.000Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

function readDate(value: unknown, field: string): Date {
  try {
    return parseSqlDate(value)
  } catch (cause) {
    throw new TypeError(`${field} holds no date that can be read`, { cause })
  }
}
