import { sql } from "drizzle-orm"
import type { Dialect } from "./dialect.js"

export const sqliteDialect: Dialect = {
  returnsRows: true,
  holds: () => true,
  select: ({ column }) => column,
  // The collation of the right side counts.
  matches: (column, text) => sql`${column} = ${sql.param(text, column)} collate binary`,
}
