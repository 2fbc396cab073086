import type { Kysely } from "kysely"
import { KyselyAdapter, type KyselyAdapterOptions, type SqlAdapter } from "./kysely-adapter.js"
import { type MadeMigration, migrate, toTarget } from "./migrations/migrate.js"
import { findMissing } from "./migrations/missing.js"
import { kyselyRunner } from "./sql/runner.js"
import type { Database } from "./tables/database.js"
import type { SchemaOptions } from "./tables/schema-options.js"

/** The adapter and its connections. */
export interface ConnectedAdapter<O extends SchemaOptions = SchemaOptions> extends SqlAdapter<O> {
  /** A Kysely instance on the same connections, for your own queries: `db.withTables<MyTables>()`. */
  readonly db: Kysely<Database>
  /**
   * Migrates the tables to this version's schema. Safe to call from several processes at once: see `migrate` of
   * `@latchkey/kysely-adapter/migrations`.
   * @param to See the option `to` of `migrate`
   */
  migrate(to?: string): Promise<readonly MadeMigration[]>
  /**
   * Lists the tables and columns that are missing: `Spent`, `Authenticator.name`. Asks on a connection of its own, which is
   * closed afterwards. The service does so once, soon after the app has started, and logs the warning `tables-missing`.
   */
  findMissingTables(): Promise<readonly string[]>
  /** Closes the connections that were opened here. */
  close(): Promise<void>
}

/** How a database is connected. */
export interface Connections {
  readonly db: Kysely<Database>
  /** Opens an instance whose statements have no deadline: schema changes may take longer than a request may wait. */
  openForMigration(): Kysely<Database>
  close(): Promise<void>
}

/** @throws TypeError when an option is invalid */
export function connectedAdapter<O extends KyselyAdapterOptions>(
  { db, openForMigration, close }: Connections,
  options: O,
): ConnectedAdapter<O> {
  const onOwnConnection = async <T>(work: (own: Kysely<Database>) => Promise<T>): Promise<T> => {
    const own = openForMigration()
    try {
      return await work(own)
    } finally {
      if (own !== db) await own.destroy()
    }
  }
  return {
    ...KyselyAdapter(db, options),
    db,
    migrate: (to) => onOwnConnection((own) => migrate(own, { ...options, ...(to !== undefined && { to }) })),
    findMissingTables: () =>
      onOwnConnection((own) => findMissing({ ...toTarget(own, options), runner: kyselyRunner(own) })),
    close,
  }
}

/**
 * The database took longer than a request may wait: to give a connection, in which case no statement was sent, or to answer a
 * statement, in which case it is unknown whether it ran.
 */
export class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout"
  readonly code = "ETIMEDOUT"

  constructor(milliseconds: number, waitedFor: "connection" | "answer", options?: ErrorOptions) {
    const failed = waitedFor === "connection" ? "gave no connection" : "did not answer"
    super(`The database ${failed} within ${milliseconds} ms`, options)
  }
}

/**
 * Calls back unless the returned function is called in time.
 * @param milliseconds How long to wait. Null: without a limit
 * @returns a function to call with the answer; it returns false if the answer is too late
 */
export function startDeadline(milliseconds: number | null, onTimeout: (milliseconds: number) => void): () => boolean {
  if (milliseconds === null) return () => true
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    onTimeout(milliseconds)
  }, milliseconds)
  return () => {
    clearTimeout(timer)
    return !isLate
  }
}
