import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { SqliteDialect } from "kysely"
import { StatementCache } from "./statement-cache.js"

/**
 * A Kysely dialect over Node's own SQLite, for the host's queries in the same file. Booleans are bound as 1 and 0,
 * dates as ISO 8601 text in UTC, which is how the adapter stores them.
 * @example const db = new Kysely<Database & MyTables>({ dialect: nodeSqliteDialect(adapter.database) })
 */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  const prepared = new StatementCache((text) => database.prepare(text))
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(text) {
        const statement = prepared.get(text)
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...parameters.map(toBindable)),
          run: (parameters) => statement.run(...parameters.map(toBindable)),
          iterate: (parameters) => statement.iterate(...parameters.map(toBindable)),
        }
      },
    },
  })
}

/** An object as the first parameter would be taken for a bag of named parameters, and NULL stored without an error. */
function toBindable(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot store a value of type ${typeof value}`)
}
