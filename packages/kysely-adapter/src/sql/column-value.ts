import type { Column, ColumnKind } from "../tables/column.js"
import type { SqlDialect } from "./dialect.js"
import { parseSqlDate } from "./sql-date.js"

/** What may be bound to a parameter. Never an object: some drivers take one for a bag of named parameters. */
export type SqlParameter = string | number | bigint | boolean | null

/** @throws TypeError that names the field, never the value, when the value is not of the column's kind. */
export function toParameter(value: unknown, column: Column, dialect: SqlDialect): SqlParameter {
  if (value === null || value === undefined) return null
  const parameter = writers[column.kind](value, dialect)
  if (parameter === undefined) throw new TypeError(`${column.field} must be ${expected[column.kind]}`)
  return parameter
}

/** @throws TypeError that names the field when the database holds something of another kind. */
export function fromColumn(value: unknown, column: Column): unknown {
  return value === null || value === undefined ? null : readers[column.kind](value, column.field)
}

const expected: Readonly<Record<ColumnKind, string>> = {
  key: "a string",
  text: "a string",
  number: "a finite number",
  boolean: "a boolean",
  date: "a valid Date",
}

type Writer = (value: unknown, dialect: SqlDialect) => SqlParameter | undefined

const writers: Readonly<Record<ColumnKind, Writer>> = {
  key: toText,
  text: toText,
  number: (value) => (typeof value === "bigint" || isFiniteNumber(value) ? value : undefined),
  boolean: (value, dialect) => (typeof value === "boolean" ? dialect.toBooleanParameter(value) : undefined),
  date: (value, dialect) => (isValidDate(value) ? dialect.toDateParameter(value) : undefined),
}

const readers: Readonly<Record<ColumnKind, (value: unknown, field: string) => unknown>> = {
  key: String,
  text: String,
  number: Number,
  boolean: (value) => value === true || (value !== false && Number(value) === 1),
  date: readDate,
}

/** Providers give numbers where text is meant, as ids above all. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

function isValidDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

function readDate(value: unknown, field: string): Date {
  try {
    return parseSqlDate(value)
  } catch (cause) {
    throw new TypeError(`${field} holds no date that can be read`, { cause })
  }
}
