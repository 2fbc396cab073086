import type { Schema } from "../tables/schema.js"
import type { TableShape } from "./schema-change.js"
import { schemaChanges } from "./schema-changes.js"

/** The database holds tables that this version does not know. Nothing was changed. */
export class UnknownSchema extends Error {
  override readonly name = "UnknownSchema"
}

/** What a database holds before it is migrated. */
export interface FoundSchema {
  /** The names of the changes that were made. */
  readonly made: readonly string[]
  /** The columns of each table that is there. */
  readonly tables: ReadonlyMap<string, readonly string[]>
}

/** @throws UnknownSchema when a newer version has changed the database */
export function assertKnownChanges(made: readonly string[]): void {
  const foreign = made.find((name) => !Object.hasOwn(schemaChanges, name))
  if (foreign !== undefined)
    throw new UnknownSchema(`The database was migrated by a newer version, which made ${foreign}`)
}

/** @throws UnknownSchema when a table lacks what it must have, or is missing that was made before */
export function assertKnownTables({ made, tables }: FoundSchema, schema: Schema): void {
  for (const [change, { shapes }] of Object.entries(schemaChanges)) {
    for (const shape of shapes(schema)) assertShape(shape, tables.get(shape.name) ?? [], made.includes(change))
  }
}

function assertShape({ name, columns }: TableShape, found: readonly string[], isMade: boolean): void {
  if (found.length === 0 && isMade)
    throw new UnknownSchema(`The table ${name} is gone, or was made under another name than the options say now`)
  const missing = columns.filter((column) => !found.includes(column))
  if (found.length > 0 && missing.length > 0)
    throw new UnknownSchema(`The table ${name} is another one than it should be: it has no ${missing.join(", ")}`)
}
