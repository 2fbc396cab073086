import type { Kysely } from "kysely"
import { KyselyAdapter, type KyselyAdapterOptions } from "./kysely-adapter.js"
import { type MadeMigration, migrate } from "./migrations/migrate.js"
import type { SqlAdapter } from "./sql-adapter.js"
import type { Database } from "./tables/database.js"
import type { SchemaOptions } from "./tables/schema-options.js"

/** The adapter, and the connections under it. */
export interface ConnectedAdapter<O extends SchemaOptions = SchemaOptions> extends SqlAdapter<O> {
  /** The instance over the same connections, for the host's own queries: `db.withTables<MyTables>()`. */
  readonly db: Kysely<Database>
  /**
   * Brings the tables to this version's schema. Safe when several processes do it at once: see `migrate` of
   * `@latchkey/kysely-adapter/migrations`.
   * @param to As its option of the name.
   */
  migrate(to?: string): Promise<readonly MadeMigration[]>
  /** Ends the connections that were opened here. */
  close(): Promise<void>
}

export interface Connecting {
  readonly db: Kysely<Database>
  /** Opens the instance that migrates: changes of a schema may take longer than a request may wait. */
  openForMigration(): Kysely<Database>
  close(): Promise<void>
}

/** @throws TypeError when an option cannot work */
export function connectedAdapter<O extends KyselyAdapterOptions>(
  connecting: Connecting,
  options: O,
): ConnectedAdapter<O> {
  const { db, openForMigration, close } = connecting
  return {
    ...KyselyAdapter(db, options),
    db,
    async migrate(to) {
      const own = openForMigration()
      try {
        return await migrate(own, { ...options, ...(to !== undefined && { to }) })
      } finally {
        if (own !== db) await own.destroy()
      }
    },
    close,
  }
}
