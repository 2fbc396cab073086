import { isDate, isStorableDate, parseIntegerKey, readBoolean, readKey, toKeyText, toText } from "@latchkey/adapter-kit"
import type { Column, ColumnKind } from "../tables/table.js"
import type { SqlDialect } from "./dialect.js"
import type { SqlParameter } from "./runner.js"

/** @throws TypeError with the field's name (never the value) when the column cannot store the value */
export function toParameter(value: unknown, column: Column, dialect: SqlDialect): SqlParameter {
  if (value === null || value === undefined) return null
  const parameter = writers[column.kind](value, dialect)
  if (parameter === undefined) throw new TypeError(`${column.field} must be ${expected[column.kind]}`)
  return parameter
}

/**
 * As `toParameter`, but undefined if no row can contain the text. Such a key is not queried: the query would fail, which
 * a visitor could provoke with a cookie, or find something similar.
 */
export function toKeyParameter(value: unknown, column: Column, dialect: SqlDialect): SqlParameter | undefined {
  return typeof value === "string" ? writers[column.kind](value, dialect) : toParameter(value, column, dialect)
}

/** @throws TypeError with the field's name when the database contains a value of another kind */
export function fromColumn(value: unknown, column: Column): unknown {
  return value === null || value === undefined ? null : readers[column.kind](value, column.field)
}

const expected: Readonly<Record<ColumnKind, string>> = {
  key: "a string that the column can hold",
  longKey: "a string that the column can hold",
  integerKey: "an integer in decimal digits",
  uuidKey: "a lowercase UUID",
  text: "a string",
  number: "a finite number",
  boolean: "a boolean",
  date: "a valid Date",
}

type Writer = (value: unknown, dialect: SqlDialect) => SqlParameter | undefined

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const writers: Readonly<Record<ColumnKind, Writer>> = {
  key: (value, dialect) => toKey(value, "key", dialect),
  longKey: (value, dialect) => toKey(value, "longKey", dialect),
  integerKey: (value) => parseIntegerKey(toText(value) ?? ""),
  uuidKey: (value) => (typeof value === "string" && uuid.test(value) ? value : undefined),
  text: toText,
  number: (value) => (typeof value === "bigint" || isFiniteNumber(value) ? value : undefined),
  boolean: (value, dialect) => (typeof value === "boolean" ? dialect.toBooleanParameter(value) : undefined),
  date: (value, dialect) => (isStorableDate(value) ? dialect.toDateParameter(value) : undefined),
}

const readers: Readonly<Record<ColumnKind, (value: unknown, field: string) => unknown>> = {
  key: readKey,
  longKey: readKey,
  integerKey: readKey,
  uuidKey: String,
  text: String,
  number: Number,
  boolean: readBoolean,
  date: readDate,
}

function toKey(value: unknown, kind: "key" | "longKey", dialect: SqlDialect): string | undefined {
  const text = toKeyText(value)
  if (text === undefined || !dialect.holdsKey(text, kind)) return undefined
  return dialect.storesNul || !text.includes("\0") ? text : undefined
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

function readDate(value: unknown, field: string): Date {
  try {
    return parseSqlDate(value)
  } catch (cause) {
    throw new TypeError(`${field} contains no valid date`, { cause })
  }
}

const isoInstant = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const timestamp = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/
const milliseconds = /^-?\d+$/

/**
 * Parses an instant as databases and drivers return it: a `Date`, milliseconds since 1970, ISO 8601 text, or SQL text
 * such as `2025-01-02 03:04:05.678+00`. Text without a time zone is UTC. Fractions of a millisecond are truncated.
 * @throws TypeError when it is none of these
 * @internal Exported for its test.
 */
export function parseSqlDate(value: unknown): Date {
  const date = typeof value === "string" ? parseText(value) : toDate(value)
  if (date === undefined || Number.isNaN(date.getTime())) throw new TypeError("not a valid date")
  return date
}

function toDate(value: unknown): Date | undefined {
  if (isDate(value) || typeof value === "number") return new Date(value)
  return typeof value === "bigint" ? new Date(Number(value)) : undefined
}

function parseText(text: string): Date | undefined {
  if (isoInstant.test(text)) return parseIsoInstant(text)
  if (milliseconds.test(text)) return new Date(Number(text))
  const parts = timestamp.exec(text)
  if (parts === null) return new Date(text)
  const [, day, time, fraction = "", zone = "Z"] = parts
  return new Date(`${day}T${time}${fraction.slice(0, 4)}${toIsoZone(zone)}`)
}

/** A third of the time of `new Date(text)`; every request with a stored session reads one or two dates. */
function parseIsoInstant(text: string): Date {
  const pair = (start: number): number => text.charCodeAt(start) * 10 + text.charCodeAt(start + 1) - 528
  const year = pair(0) * 100 + pair(2)
  const thousandths = pair(20) * 10 + text.charCodeAt(22) - 48
  return new Date(Date.UTC(year, pair(5) - 1, pair(8), pair(11), pair(14), pair(17), thousandths))
}

function toIsoZone(zone: string): string {
  if (zone === "Z") return zone
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0")
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
