import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import type { SqliteDatabase } from "kysely"

/** node:sqlite with the interface of a Kysely dialect. */
export function toKysely(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text)
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[] // as: the adapter passes no other types
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)),
        run(parameters) {
          const { changes, lastInsertRowid } = statement.run(...values(parameters))
          return { changes: BigInt(changes), lastInsertRowid: BigInt(lastInsertRowid) }
        },
      }
    },
  }
}
