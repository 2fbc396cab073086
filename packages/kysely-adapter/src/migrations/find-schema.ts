import { type Compilable, type CompiledQuery, sql } from "kysely"
import { findColumns } from "./find-columns.js"
import type { MigrationTarget } from "./schema-change.js"
import { booksOf, schemaChanges } from "./schema-changes.js"
import type { FoundSchema } from "./unknown-schema.js"

/** Runs a statement; gives the text of each row's first column. */
export type Select = (query: CompiledQuery) => PromiseLike<readonly string[]>

/** The columns of each table of ours that is there; none of one that is not. */
export async function findTables(target: MigrationTarget, select: Select): Promise<FoundSchema["tables"]> {
  const tables = new Map<string, readonly string[]>()
  for (const name of tableNames(target)) tables.set(name, await select(selectColumns(target, name)))
  return tables
}

/** The names of the changes that were made. */
export async function findMade(target: MigrationTarget, select: Select): Promise<readonly string[]> {
  const { made } = booksOf(target.schema)
  const isKept = (await select(selectColumns(target, made))).length > 0
  return isKept ? await select(selectMade(target).compile()) : []
}

export function tableNames({ schema }: MigrationTarget): readonly string[] {
  return Object.values(schemaChanges).flatMap(({ shapes }) => shapes(schema).map(({ name }) => name))
}

export function selectColumns({ db, dialect }: MigrationTarget, table: string): CompiledQuery {
  return findColumns(dialect.kind, table).compile(db)
}

export function selectMade({ db, schema }: MigrationTarget): Compilable {
  return db.selectFrom(booksOf(schema).made).select(sql.ref("name").as("name"))
}
