import { type Compilable, type CompiledQuery, type RawBuilder, sql } from "kysely"
import type { DatabaseKind } from "../sql/dialect.js"
import { featureRecords, type Schema } from "../tables/schema.js"
import { firstColumns } from "../tables/table.js"
import { migrationTables, schemaChanges, type TableShape } from "./schema-changes.js"
import type { MigrationTarget } from "./schema-statements.js"

/** The database contains tables that this version does not know. Nothing was changed. */
export class UnknownSchema extends Error {
  override readonly name = "UnknownSchema"
}

/** What a database contains before it is migrated. */
export interface FoundSchema {
  /** The names of the applied changes. */
  readonly applied: readonly string[]
  /** The columns of each table; empty for a table that does not exist. */
  readonly tables: ReadonlyMap<string, readonly string[]>
}

/** @throws UnknownSchema when a newer version has changed the database */
export function assertKnownChanges(applied: readonly string[]): void {
  const unknown = applied.find((name) => !Object.hasOwn(schemaChanges, name))
  if (unknown === undefined) return
  throw new UnknownSchema(`The database was migrated by a newer version, with the migration ${unknown}`)
}

/**
 * The target without the tables of features whose names the host uses for tables of its own. The host's table must not be
 * changed, dropped or read, and the host may drop it after the migrations. A table for which the host set an option stays
 * in the target, so that `assertKnownTables` reports it.
 */
export function withoutHostTables<T extends Pick<MigrationTarget, "schema">>(
  target: T,
  { applied, tables }: FoundSchema,
): T {
  const created = applied.flatMap((name) => schemaChanges[name]?.shapes(target.schema).map((shape) => shape.name) ?? [])
  const left = featureRecords.filter((record) => {
    const table = target.schema[record]
    if (!table?.isUnclaimed) return false
    const found = tables.get(table.name) ?? []
    if (found.length === 0) return created.includes(table.name)
    return firstColumns(table).some(({ name }) => !found.includes(name))
  })
  if (left.length === 0) return target
  return { ...target, schema: { ...target.schema, ...Object.fromEntries(left.map((record) => [record, null])) } }
}

/** @throws UnknownSchema when a table lacks a required column, or a table that was created before is missing */
export function assertKnownTables({ applied, tables }: FoundSchema, schema: Schema): void {
  for (const [change, { shapes }] of Object.entries(schemaChanges)) {
    for (const shape of shapes(schema)) assertShape(shape, tables.get(shape.name) ?? [], applied.includes(change))
  }
}

function assertShape({ name, columns }: TableShape, found: readonly string[], isApplied: boolean): void {
  if (found.length === 0 && isApplied)
    throw new UnknownSchema(`The table ${name} is missing: it was dropped, or created under another name`)
  const missing = columns.filter((column) => !found.includes(column))
  if (found.length > 0 && missing.length > 0)
    throw new UnknownSchema(
      `The table ${name} belongs to another schema: it lacks the columns ${missing.join(", ")}. Give one of the two another name`,
    )
}

/** Runs a query and returns the text of each row's first column. */
export type Select = (query: CompiledQuery) => PromiseLike<readonly string[]>

/** The columns of each of the adapter's tables. */
export async function findTables(target: MigrationTarget, select: Select): Promise<FoundSchema["tables"]> {
  const tables = new Map<string, readonly string[]>()
  for (const name of tableNames(target)) tables.set(name, await select(selectColumns(target, name)))
  return tables
}

/** The names of the applied changes. */
export async function findApplied(target: MigrationTarget, select: Select): Promise<readonly string[]> {
  const { applied } = migrationTables(target.schema)
  const hasHistory = (await select(selectColumns(target, applied))).length > 0
  return hasHistory ? await select(selectApplied(target).compile()) : []
}

export function tableNames({ schema }: MigrationTarget): readonly string[] {
  return Object.values(schemaChanges).flatMap(({ shapes }) => shapes(schema).map(({ name }) => name))
}

export function selectApplied({ db, schema }: MigrationTarget): Compilable {
  return db.selectFrom(migrationTables(schema).applied).select(sql.ref("name").as("name"))
}

/** Selects a table's columns as `name`; no rows if the table does not exist. */
export function selectColumns({ db, dialect }: MigrationTarget, table: string): CompiledQuery {
  return columnQueries[dialect.kind](table).compile(db)
}

type NameQuery = RawBuilder<{ readonly name: string }>

const columnQueries: Readonly<Record<DatabaseKind, (table: string) => NameQuery>> = {
  sqlite(table) {
    const [name, schema = "main"] = table.split(".").toReversed()
    return sql`select name from pragma_table_info(${sql.lit(name)}, ${sql.lit(schema)})`
  },
  // A name without a schema is looked up along the search path, as in every other statement.
  postgres: (table) => sql`select attname as name from pg_attribute
    where attrelid = to_regclass(${sql.lit(quote(table))}) and attnum > 0 and not attisdropped`,
  mysql(table) {
    const [name, schema] = table.split(".").toReversed()
    const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
    return sql`select column_name as name from information_schema.columns
      where table_schema = ${ownSchema} and table_name = ${sql.lit(name)}`
  },
}

function quote(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".")
}

/**
 * Selects the declaration of the column of user ids or session tokens, as `name`. For MySQL, where a foreign key must be
 * declared like the column that it refers to: another library's table has its own character set, collation or integer
 * size.
 */
export function selectKeyType(table: string, column: string): NameQuery {
  const [name, schema] = table.split(".").toReversed()
  const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
  const text = sql`concat(' character set ', character_set_name, ' collate ', collation_name)`
  return sql`select concat(column_type, coalesce(${text}, '')) as name from information_schema.columns
    where table_schema = ${ownSchema} and table_name = ${sql.lit(name)} and column_name = ${sql.lit(column)}`
}
