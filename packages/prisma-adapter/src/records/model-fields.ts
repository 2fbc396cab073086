import { type ContractModel, contractModels, type FieldKind, type ModelName, type Presence } from "./contract-fields.js"

/** A scalar field of a model, as a field of a record. */
export interface ModelField {
  readonly name: string
  /** `own`: a field of the host's. */
  readonly kind: FieldKind | "own"
  readonly presence: Presence
  /** The type in the schema: `String`, `Int`, `BigInt`, `DateTime`. */
  readonly typeName: string
}

/** @throws TypeError that names the model and the field when the schema lacks one or has another type for it */
export function modelFields(model: ModelName, references: object): ReadonlyMap<string, ModelField> {
  const types = new Map(Object.entries(references).map(([name, reference]) => [name, typeNameOf(reference)]))
  const contract: ContractModel = contractModels[model]
  const fields = new Map<string, ModelField>()
  for (const [name, [kind, presence]] of Object.entries(contract.fields)) {
    const typeName = types.get(name)
    types.delete(name)
    if (typeName !== undefined) fields.set(name, assertType(model, { name, kind, presence, typeName }))
    else if (!contract.later?.includes(name)) throw new TypeError(`prisma.${model}: the model has no field ${name}`)
  }
  for (const [name, typeName] of types) fields.set(name, { name, kind: "own", presence: "nullable", typeName })
  return fields
}

function typeNameOf(reference: unknown): string {
  const name: unknown = typeof reference === "object" && reference !== null && Reflect.get(reference, "typeName")
  return typeof name === "string" ? name : "unknown"
}

const notText: ReadonlySet<string> = new Set(["Boolean", "DateTime", "Json", "Bytes", "Float", "Decimal"])

/** An enumeration of the schema is text as well. */
function fits(kind: FieldKind, typeName: string): boolean {
  if (kind === "key") return !notText.has(typeName)
  if (kind === "text") return !notText.has(typeName) && typeName !== "Int" && typeName !== "BigInt"
  if (kind === "number") return typeName === "Int" || typeName === "BigInt"
  return typeName === (kind === "date" ? "DateTime" : "Boolean")
}

function assertType(model: ModelName, field: ModelField): ModelField {
  const { name, kind, typeName } = field
  if (kind === "own" || fits(kind, typeName)) return field
  throw new TypeError(`prisma.${model}.${name} must be a field for a ${kind}; it is one for ${typeName}`)
}
