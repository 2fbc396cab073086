import { Kysely, type PGlite, PGliteDialect } from "kysely"
import { type ConnectedAdapter, connectedAdapter } from "../connected-adapter.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"

/**
 * Keeps the records in PGlite, the PostgreSQL that runs within the process: for tests, for development and for an app
 * on one machine. One process at a time may open a folder. Call `migrate()` when the app starts; `close()` closes the
 * instance.
 * @throws TypeError when an option cannot work
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
