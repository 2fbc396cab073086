import { type RawBuilder, sql } from "kysely"
import type { DatabaseKind } from "../sql/dialect.js"

/** Selects, as `name`, the columns of a table; none where there is no such table. */
export function findColumns(kind: DatabaseKind, table: string): RawBuilder<{ readonly name: string }> {
  return finders[kind](table)
}

type Finder = (table: string) => RawBuilder<{ readonly name: string }>

const finders: Readonly<Record<DatabaseKind, Finder>> = {
  sqlite(table) {
    const [name, schema = "main"] = table.split(".").toReversed()
    return sql`select name from pragma_table_info(${sql.lit(name)}, ${sql.lit(schema)})`
  },
  // A name without a schema is looked for along the search path, as in every other statement.
  postgres: (table) => sql`select attname as name from pg_attribute
    where attrelid = to_regclass(${sql.lit(quote(table))}) and attnum > 0 and not attisdropped`,
  mysql(table) {
    const [name, schema] = table.split(".").toReversed()
    const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
    return sql`select column_name as name from information_schema.columns
      where table_schema = ${ownSchema} and table_name = ${sql.lit(name)}`
  },
}

/**
 * Selects, as `name`, how the ids of users are declared. For MySQL, which lets a column refer to another one only if
 * the two are declared alike: a users table of another library has its own character set, collation or width of
 * numbers.
 */
export function findIdType(table: string, column: string): RawBuilder<{ readonly name: string }> {
  const [name, schema] = table.split(".").toReversed()
  const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
  const text = sql`concat(' character set ', character_set_name, ' collate ', collation_name)`
  return sql`select concat(column_type, coalesce(${text}, '')) as name from information_schema.columns
    where table_schema = ${ownSchema} and table_name = ${sql.lit(name)} and column_name = ${sql.lit(column)}`
}

function quote(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".")
}
