import {
  type FieldCodec,
  type FieldKind,
  isStorableDate,
  matchFields,
  parseIntegerKey,
  type RecordField,
  RecordFields,
  type RecordName,
  recordModels,
  toKeyText,
  toText,
} from "@latchkey/adapter-kit"

/** A scalar field's type in the schema: `String`, `Int`, `BigInt`, `DateTime`. */
export type TypeName = string

/**
 * Pairs a record's fields with those of its model.
 * @param references The model's `fields`: references to its scalar fields, by name
 * @throws TypeError with the model and the field when the schema lacks one or gives it another type
 */
export function modelFields(model: RecordName, references: object): RecordFields<TypeName> {
  const types = Object.entries(references).map(([name, reference]) => [name, typeNameOf(reference)] as const)
  const missing = (field: string) => new TypeError(`prisma.${model}: the model has no field ${field}`)
  const fields = matchFields(recordModels[model], types, missing)
  for (const field of fields) assertType(model, field)
  return new RecordFields(recordModels[model].key, fields, codec)
}

/** Whether a model has every field of a record, with fitting types. */
export function hasFields(model: RecordName, references: object): boolean {
  const types = new Map(Object.entries(references).map(([name, reference]) => [name, typeNameOf(reference)]))
  return Object.entries(recordModels[model].fields).every(([field, [kind]]) => {
    const typeName = types.get(field)
    return typeName !== undefined && fits(kind, typeName)
  })
}

function typeNameOf(reference: unknown): TypeName {
  const name: unknown = typeof reference === "object" && reference !== null && Reflect.get(reference, "typeName")
  return typeof name === "string" ? name : "unknown"
}

function assertType(model: RecordName, { field, kind, column: typeName }: RecordField<TypeName>): void {
  if (kind === "own" || fits(kind, typeName)) return
  throw new TypeError(`prisma.${model}.${field} must be a field for a ${kind}; it is one for ${typeName}`)
}

const notText: ReadonlySet<TypeName> = new Set(["Boolean", "DateTime", "Json", "Bytes", "Float", "Decimal"])

/** Types that are not listed here are enums of the schema, which store text. */
function fits(kind: FieldKind, typeName: TypeName): boolean {
  if (kind === "key") return !notText.has(typeName)
  if (kind === "text") return !notText.has(typeName) && typeName !== "Int" && typeName !== "BigInt"
  if (kind === "number") return typeName === "Int" || typeName === "BigInt"
  return typeName === (kind === "date" ? "DateTime" : "Boolean")
}

/** Rejects what a field cannot store, and objects that Prisma would treat as operators. */
const codec: FieldCodec<TypeName> = {
  write: (value, { kind, column: typeName }) =>
    kind === "own" ? toOwnValue(value, typeName) : writers[kind](value, typeName),
  describe: ({ kind, column: typeName }) => `a ${kind === "own" ? typeName : kind} that its field can hold`,
}

type Writer = (value: unknown, typeName: TypeName) => unknown

const writers: Readonly<Record<FieldKind, Writer>> = {
  key: toKey,
  text: toText,
  number: (value, typeName) => (Number.isSafeInteger(value) ? toInteger(BigInt(Number(value)), typeName) : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  date: (value) => (isStorableDate(value) ? new Date(value) : undefined),
}

/** The host's own fields, by type, where Prisma would treat an object as an operator. */
const ownWriters: Readonly<Record<TypeName, Writer>> = {
  String: toText,
  Int: writers.number,
  BigInt: (value) => (typeof value === "bigint" ? value : writers.number(value, "BigInt")),
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  Boolean: writers.boolean,
  DateTime: writers.date,
}

function toOwnValue(value: unknown, typeName: TypeName): unknown {
  const writer = ownWriters[typeName]
  return writer === undefined ? value : writer(value, typeName)
}

/** PostgreSQL cannot store U+0000 in text. */
function toKey(value: unknown, typeName: TypeName): string | number | bigint | undefined {
  const text = toKeyText(value)
  if (text === undefined || text.includes("\0")) return undefined
  if (typeName !== "Int" && typeName !== "BigInt") return text
  const integer = parseIntegerKey(text)
  return integer === undefined ? undefined : toInteger(integer, typeName)
}

/** Prisma's `Int` has 32 bits and its `BigInt` 64, in every database. */
function toInteger(value: bigint, typeName: TypeName): number | bigint | undefined {
  const bits = typeName === "BigInt" ? 64 : 32
  if (BigInt.asIntN(bits, value) !== value) return undefined
  return typeName === "BigInt" ? value : Number(value)
}
