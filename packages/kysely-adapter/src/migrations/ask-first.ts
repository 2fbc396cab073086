import { type Compilable, type RawBuilder, sql } from "kysely"
import type { MigrationTarget } from "./schema-change.js"

/** A part of a table, by its name. */
export interface TablePart {
  readonly kind: "index" | "column"
  /** May carry a schema, as in `auth.users`. */
  readonly table: string
  readonly name: string
}

/**
 * A change that is made unless the part is there already, for MySQL: it knows no `if not exists` for parts of a table,
 * and takes no change of the schema back, so that a migration may find what one before it has left half done.
 * @see https://dev.mysql.com/doc/refman/8.4/en/sql-prepared-statements.html
 */
export function unlessThere(target: MigrationTarget, part: TablePart, change: Compilable): readonly Compilable[] {
  return prepared(target, sql`if(exists(${findPart(part)}), 'do 0', ${sql.lit(change.compile().sql)})`)
}

/** A change that is made only if the part is there. */
export function ifThere(target: MigrationTarget, part: TablePart, change: Compilable): readonly Compilable[] {
  return prepared(target, sql`if(exists(${findPart(part)}), ${sql.lit(change.compile().sql)}, 'do 0')`)
}

function findPart({ kind, table, name }: TablePart): RawBuilder<unknown> {
  const [tableName, schema] = table.split(".").toReversed()
  const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
  const isInTable = sql`table_schema = ${ownSchema} and table_name = ${sql.lit(tableName)}`
  return kind === "index"
    ? sql`select 1 from information_schema.statistics where ${isInTable} and index_name = ${sql.lit(name)}`
    : sql`select 1 from information_schema.columns where ${isInTable} and column_name = ${sql.lit(name)}`
}

function prepared({ db }: MigrationTarget, text: RawBuilder<unknown>): readonly Compilable[] {
  const steps = [
    sql`set @latchkey = ${text}`,
    sql`prepare latchkey from @latchkey`,
    sql`execute latchkey`,
    sql`deallocate prepare latchkey`,
  ]
  return steps.map((step) => ({ compile: () => step.compile(db) }))
}
