// Imported as `@latchkey/kysely-adapter/pglite`. For instances of `@electric-sql/pglite`.
import { Kysely, type PGlite, PGliteDialect } from "kysely"
import { type ConnectedAdapter, connectedAdapter } from "../connected-adapter.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"

export type { ConnectedAdapter } from "../connected-adapter.js"

/**
 * Stores records in PGlite, PostgreSQL within the process: for tests, development, and apps on one machine. Only one
 * process may open a folder at a time. Call `migrate()` when the app starts; `close()` closes the instance.
 * @throws TypeError when an option is invalid
 * @example const adapter = pglite(new PGlite("./database"))
 */
export function pglite<const O extends SchemaOptions = SchemaOptions>(
  instance: PGlite,
  options: O = {} as O, // as: no options, no extra columns
): ConnectedAdapter<O> {
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite: instance }) })
  const close = async () => {
    if (!instance.closed) await instance.close()
  }
  return connectedAdapter({ db, openForMigration: () => db, close }, options)
}
