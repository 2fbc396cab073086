import type { FieldKind } from "./contract-fields.js"
import type { ModelField } from "./model-fields.js"

/**
 * A field as Prisma takes it; undefined where the field cannot hold it as it is, or where Prisma would take it for an
 * operator.
 */
export function toFieldValue(value: unknown, { kind, typeName }: ModelField): unknown {
  if (value === null) return null
  return kind === "own" ? toOwnValue(value, typeName) : writers[kind](value, typeName)
}

/** @throws TypeError that names the field when the database holds something of another kind */
export function fromFieldValue(value: unknown, { name, kind }: ModelField): unknown {
  if (value === null || value === undefined) return null
  return kind === "own" ? value : readers[kind](value, name)
}

type Writer = (value: unknown, typeName: string) => unknown

const writers: Readonly<Record<FieldKind, Writer>> = {
  key: toKey,
  text: toText,
  number: (value, typeName) => (Number.isSafeInteger(value) ? toInteger(BigInt(Number(value)), typeName) : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  date: (value) => (isStorableDate(value) ? value : undefined),
}

const readers: Readonly<Record<FieldKind, (value: unknown, name: string) => unknown>> = {
  key: String,
  text: String,
  number: Number,
  boolean: (value) => value === true,
  date: readDate,
}

/** What the host's own fields take, where Prisma would take an object for an operator. */
const ownWriters: Readonly<Record<string, Writer>> = {
  String: toText,
  Int: writers.number,
  BigInt: (value) => (typeof value === "bigint" ? value : writers.number(value, "BigInt")),
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  Boolean: writers.boolean,
  DateTime: writers.date,
}

function toOwnValue(value: unknown, typeName: string): unknown {
  const writer = ownWriters[typeName]
  return writer === undefined ? value : writer(value, typeName)
}

/** Providers give numbers where text is meant, as ids above all. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined
}

const decimal = /^(?:0|[1-9]\d{0,18})$/

/**
 * A lone surrogate would become U+FFFD on its way, so that two different texts were one; PostgreSQL holds no U+0000. Of
 * a number there is one text: `05` and `5 ` are none.
 */
function toKey(value: unknown, typeName: string): string | number | bigint | undefined {
  const text = toText(value)
  if (text === undefined || !text.isWellFormed() || text.includes("\0")) return undefined
  if (typeName !== "Int" && typeName !== "BigInt") return text
  return decimal.test(text) ? toInteger(BigInt(text), typeName) : undefined
}

/** Prisma's `Int` has 32 bits and its `BigInt` 64, whatever the database has. */
function toInteger(value: bigint, typeName: string): number | bigint | undefined {
  const bits = typeName === "BigInt" ? 64 : 32
  if (BigInt.asIntN(bits, value) !== value) return undefined
  return typeName === "BigInt" ? value : Number(value)
}

/** Years of four digits: not every database knows others. */
function isStorableDate(value: unknown): value is Date {
  return value instanceof Date && value.getTime() >= firstInstant && value.getTime() <= lastInstant
}

const firstInstant = Date.parse("0001-01-01T00:00:00.000Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

function readDate(value: unknown, name: string): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value
  throw new TypeError(`${name} holds no date that can be read`)
}
