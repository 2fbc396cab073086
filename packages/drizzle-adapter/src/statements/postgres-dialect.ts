import { type Column, sql } from "drizzle-orm"
import type { Dialect } from "./dialect.js"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const postgresDialect: Dialect = {
  returnsRows: true,
  holds: (text, column) => !text.includes("\0") && (!isUuid(column) || uuid.test(text)),
  select: ({ column, kind }) => (kind === "date" && column.dataType === "date" ? toMilliseconds(column) : column),
  // The first comparison finds the row by its index; the second sees what `citext` or a lenient collation does not.
  matches(column, text) {
    const found = sql`${column} = ${sql.param(text, column)}`
    return isUuid(column) ? found : sql`${found} and ${column}::text collate "C" = ${sql.param(text, column)}`
  },
}

function isUuid(column: Column): boolean {
  return column.getSQLType() === "uuid"
}

/**
 * An instant of a `timestamptz`, or of a `timestamp` that holds UTC. As text it would come in the session's zone and
 * style, of which Drizzle reads one.
 */
function toMilliseconds(column: Column) {
  return sql`round(extract(epoch from date_trunc('milliseconds', ${column})) * 1000)::bigint`.mapWith(
    (milliseconds: unknown) => new Date(Number(milliseconds)),
  )
}
