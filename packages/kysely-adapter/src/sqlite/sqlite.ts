import { DatabaseSync } from "node:sqlite"
import { getDialect } from "../sql/resolve-dialect.js"
import { statementBuilder } from "../sql/statement-builder.js"
import { type SqlAdapter, sqlAdapter } from "../sql-adapter.js"
import { resolveSchema } from "../tables/schema.js"
import type { SchemaOptions } from "../tables/schema-options.js"
import { migrateAtOnce } from "./migrate-at-once.js"
import { nodeRunner } from "./node-runner.js"
import { retryWhileBusy } from "./retry-while-busy.js"

/** How the tables differ from the default ones, and how the file is opened. */
export interface SqliteOptions extends SchemaOptions {
  /** How long a statement waits for another process that is writing. Default: 5000. Only for files opened here. */
  readonly busyTimeoutMilliseconds?: number
}

/** The adapter, and the file under it. */
export interface SqliteAdapter<O extends SchemaOptions = SchemaOptions> extends SqlAdapter<O> {
  /** The open database, for the host's own queries. */
  readonly database: DatabaseSync
  /** Closes the file, if it was opened here. May be called more than once. */
  close(): void
}

/**
 * Keeps the records in a file, with the SQLite that Node carries: nothing to install, nothing to compile. Makes and
 * migrates the tables before it returns. Its methods answer at once, without a promise; several processes may share the
 * file (on a local disk).
 * @param file A path, `":memory:"`, or a database that the host has opened (with foreign keys on, as is Node's default).
 * @throws Error when the file cannot be opened, is no database, or was migrated by a newer version.
 * @example const config = { adapter: sqlite("app.db"), providers: [...] }
 */
export function sqlite<const O extends SqliteOptions = SqliteOptions>(
  file: string | DatabaseSync,
  options: O = {} as O, // as: no options, no extra columns
): SqliteAdapter<O> {
  const target = { schema: resolveSchema(options), dialect: getDialect("sqlite"), db: statementBuilder("sqlite") }
  const database = typeof file === "string" ? open(file, options) : file
  assertForeignKeys(database)
  migrateAtOnce(database, target)
  const adapter = sqlAdapter({ ...target, runner: nodeRunner(database) }) as SqlAdapter<O> // as: extra columns
  return {
    ...adapter,
    database,
    close() {
      if (typeof file === "string" && database.isOpen) database.close()
    },
  }
}

function open(path: string, { busyTimeoutMilliseconds = 5000 }: SqliteOptions): DatabaseSync {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: busyTimeoutMilliseconds })
  // Readers and the writer do not wait for one another; the setting stays in the file.
  retryWhileBusy(() => database.exec("pragma journal_mode = wal"), busyTimeoutMilliseconds)
  return database
}

/** A deleted user's accounts and sessions go by way of foreign keys, which SQLite ignores unless told. */
function assertForeignKeys(database: DatabaseSync): void {
  const row = database.prepare("pragma foreign_keys").get()
  if (row?.["foreign_keys"] !== 1) throw new Error("sqlite: the database was opened with foreign keys off")
}
