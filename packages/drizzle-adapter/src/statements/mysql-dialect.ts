import { type Column, type SQL, sql } from "drizzle-orm"
import type { Dialect } from "./dialect.js"

const limited = /^var(char|binary)\((\d+)\)/

export const mysqlDialect: Dialect = {
  returnsRows: false,
  holds: holdsText,
  select: ({ column }) => (column.getSQLType().startsWith("varbinary") ? toText(column).mapWith(column) : column),
  // The first comparison finds the row by its index; the second sees what the default collations do not.
  matches(column, text) {
    const param = sql.param(text, column)
    return sql`${column} = ${param} and ${toBytes(sql`${column}`)} = ${toBytes(sql`${param}`)}`
  },
}

/** Where the mode is not strict, text is cut off that is too long, and then one key is another's beginning. */
function holdsText(text: string, column: Column): boolean {
  const [, unit, limit] = limited.exec(column.getSQLType()) ?? []
  if (unit === undefined) return true
  const length = unit === "binary" ? new TextEncoder().encode(text).length : [...text].length
  return length <= Number(limit)
}

function toText(column: Column): SQL {
  return sql`convert(${column} using utf8mb4)`
}

function toBytes(text: SQL): SQL {
  return sql`cast(convert(${text} using utf8mb4) as binary)`
}
