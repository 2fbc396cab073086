import { DatabaseSync } from "node:sqlite"
import type { DrizzleConfig } from "drizzle-orm"
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy"

export interface OpenSqlite {
  readonly db: SqliteRemoteDatabase
  readonly database: DatabaseSync
}

/** Drizzle over the SQLite that Node carries, for which it has no driver of its own. */
export function openNodeSqlite(config: DrizzleConfig = {}): OpenSqlite {
  const database = new DatabaseSync(":memory:")
  const db = drizzle(async (text, parameters, method) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    if (method === "run") {
      statement.run(...parameters)
      return { rows: [] }
    }
    const rows = statement.all(...parameters)
    // Drizzle takes the only row for `get`, and has no word in its types for there being none.
    return { rows: method === "get" ? (rows[0] as never) : rows }
  }, config)
  return { db, database }
}
