import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The part of JSON Schema that the published schema uses. */
interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly minLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

const file = join(import.meta.dirname, "..", "..", "schema", "doctor.schema.json")

/** The schema that the package publishes. */
export const doctorSchema: Schema & { readonly $defs: Readonly<Record<string, Schema>> } = JSON.parse(
  readFileSync(file, "utf8"),
)

/** Where a report breaks the schema. Empty if it does not. */
export function findFaults(value: unknown, schema: Schema = doctorSchema, path = "report"): readonly string[] {
  if (schema.$ref !== undefined) return findFaults(value, doctorSchema.$defs[schema.$ref.replace("#/$defs/", "")], path)
  if (schema.anyOf) return schema.anyOf.some((each) => findFaults(value, each, path).length === 0) ? [] : [path]
  if (!isPossible(value, schema)) return [path]
  if (Array.isArray(value)) return findFaultsOfArray(value, schema, path)
  return typeof value === "object" && value !== null ? findFaultsOfObject({ ...value }, schema, path) : []
}

function isPossible(value: unknown, schema: Schema): boolean {
  if ("const" in schema) return value === schema.const
  if (schema.enum) return schema.enum.includes(value)
  const types = [schema.type ?? typesOf(value)].flat()
  if (!typesOf(value).some((type) => types.includes(type))) return false
  if (typeof value === "string") return value.length >= (schema.minLength ?? 0)
  return typeof value !== "number" || value >= (schema.minimum ?? value)
}

function findFaultsOfArray(value: readonly unknown[], schema: Schema, path: string): readonly string[] {
  if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? value.length)) return [path]
  return value.flatMap((each, n) => (schema.items ? findFaults(each, schema.items, `${path}[${n}]`) : []))
}

function findFaultsOfObject(
  value: Readonly<Record<string, unknown>>,
  { required = [], properties = {}, additionalProperties = true }: Schema,
  path: string,
): readonly string[] {
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}.${name}`)
  const wrong = Object.entries(value).flatMap(([name, each]) => {
    const schema = properties[name] ?? additionalProperties
    if (typeof schema === "boolean") return schema ? [] : [`${path}.${name}`]
    return findFaults(each, schema, `${path}.${name}`)
  })
  return [...missing, ...wrong]
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"]
  if (Array.isArray(value)) return ["array"]
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value]
}
