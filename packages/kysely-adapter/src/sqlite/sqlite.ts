import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { CompiledQuery } from "kysely"
import { type SqlAdapter, sqlAdapter } from "../kysely-adapter.js"
import { findDuplicates, toDuplicateRows } from "../migrations/duplicates.js"
import {
  assertKnownChanges,
  assertKnownTables,
  selectApplied,
  selectColumns,
  tableNames,
  withoutHostTables,
} from "../migrations/inspect.js"
import { migrationTables, schemaChanges } from "../migrations/schema-changes.js"
import type { MigrationTarget } from "../migrations/schema-statements.js"
import { getDialect, statementBuilder } from "../sql/dialect.js"
import { resolveSchema } from "../tables/schema.js"
import type { SchemaOptions } from "../tables/schema-options.js"
import { nodeRunner } from "./node-sqlite.js"

/** How your tables differ from the default ones, and how the file is opened. */
export interface SqliteOptions extends SchemaOptions {
  /**
   * How long a statement waits for another process that is writing, in milliseconds. Default: 5000. Only for files that
   * are opened here.
   */
  readonly busyTimeoutMilliseconds?: number | undefined
}

/** The adapter and its database. */
export interface SqliteAdapter<O extends SchemaOptions = SchemaOptions> extends SqlAdapter<O> {
  /** The open database, for your own queries. */
  readonly database: DatabaseSync
  /** Closes the file if it was opened here. May be called more than once. */
  close(): void
}

/**
 * Stores records in a file, with Node's built-in SQLite: nothing to install, nothing to compile. Creates and migrates the
 * tables before it returns. A file that it creates, and its journals, can be read by their owner alone (mode 600). Its methods are synchronous; several processes may share the file (on a local disk).
 * @param file A path, `":memory:"`, or an open database (with foreign keys on, which is Node's default)
 * @throws Error when the file cannot be opened, is not a database, or was migrated by a newer version
 * @example const config = { adapter: sqlite("app.db"), providers: [...] }
 */
export function sqlite<const O extends SqliteOptions = SqliteOptions>(
  file: string | DatabaseSync,
  options: O = {} as O, // as: no options, no extra columns
): SqliteAdapter<O> {
  const all = { schema: resolveSchema(options), dialect: getDialect("sqlite"), db: statementBuilder("sqlite") }
  const database = typeof file === "string" ? open(file, options) : file
  assertForeignKeys(database)
  migrateSync(database, all)
  const target = withoutHostTables(all, { applied: Object.keys(schemaChanges), tables: columnsOf(database, all) })
  const adapter = sqlAdapter({ ...target, runner: nodeRunner(database), transactions: "own" }) as SqlAdapter<O> // as: extra columns
  return {
    ...adapter,
    database,
    close() {
      if (typeof file === "string" && database.isOpen) database.close()
    },
  }
}

function open(given: string, { busyTimeoutMilliseconds = 5000 }: SqliteOptions): DatabaseSync {
  const file = toFile(given)
  const path = file !== null && isLookedAt() && !existsSync(file) && canCreate(file) ? ":memory:" : given
  if (file !== null && path === given) createPrivateFile(file)
  const database = connect(path, busyTimeoutMilliseconds)
  // In write-ahead mode, readers and the writer do not block one another. The file keeps the setting.
  retryWhileBusy(() => database.exec("pragma journal_mode = wal"), busyTimeoutMilliseconds)
  database.exec(`pragma wal_autocheckpoint = ${pagesOfCheckpoint}`)
  return database
}

/** SQLite names neither the file nor what it needs. */
function connect(path: string, timeout: number): DatabaseSync {
  try {
    return new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const advice = "Its folder must exist, and the user of the app must be allowed to write to it"
    throw new Error(`sqlite: ${path} cannot be opened (${reason}). ${advice}`, { cause })
  }
}

/** Whether a file can be created in its folder. Where it cannot, SQLite says why. */
function canCreate(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whether this process only looks at the configuration, as that of `latchkey doctor` does: it must not create a database. */
const isLookedAt = () => Reflect.get(globalThis, Symbol.for("latchkey.onlyLooking")) === true

/** The file of a database. Null for a temporary one, in memory or not, which has no file of this name. */
function toFile(path: string): string | null {
  if (path === "" || path === ":memory:") return null
  const [file = ""] = path.startsWith("file:") ? decodeURIComponent(path.slice(5)).split("?") : [path]
  if (/[?&](?:mode=memory|vfs=)/.test(path) || file === "" || file === ":memory:") return null
  return file.replace(/^\/\/(?:localhost)?(?=\/)/, "")
}

/**
 * Creates a missing file for its owner alone, since it will contain the hashes of passwords and the tokens of accounts. SQLite
 * would let all users of the machine read it. Its journals have the same mode.
 * @see https://www.sqlite.org/src/file?name=src/os_unix.c (findCreateFileMode)
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600))
  } catch {
    // SQLite says why it cannot be opened.
  }
}

/**
 * The commit after which the log has this many pages copies them to the file, while the process waits. SQLite's default is
 * 1000. Pages that lie all over a large file, as those of deleted rows do, took up to 54 ms; these took up to 22 ms.
 */
const pagesOfCheckpoint = 100

/** Foreign keys delete a user's accounts and sessions with the user; SQLite ignores them unless told otherwise. */
function assertForeignKeys(database: DatabaseSync): void {
  const row = database.prepare("pragma foreign_keys").get()
  if (row?.["foreign_keys"] !== 1)
    throw new Error("sqlite: the database was opened with foreign keys off; turn them on")
}

/** https://www.sqlite.org/rescode.html#busy; extended codes add bits above the lowest eight. */
const busy = 5
const pauseMilliseconds = 10

/**
 * Retries statements that SQLite rejects at once, ignoring the busy timeout, while another process is in the way: two
 * processes that switch a new file to write-ahead mode would otherwise wait for one another forever.
 * @internal Exported for its test.
 */
export function retryWhileBusy(work: () => void, timeoutMilliseconds: number): void {
  for (let waited = 0; ; waited += pauseMilliseconds) {
    try {
      work()
      return
    } catch (error) {
      const isBusy = error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busy
      if (!isBusy || waited >= timeoutMilliseconds) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMilliseconds)
    }
  }
}

/**
 * Migrates a file synchronously. Keeps the same migration tables as `migrate`, so both can be used on one file. Safe to
 * call from several processes at once: the write lock is taken before anything is read.
 * @throws UnknownSchema when a newer version has migrated the file, or it contains other tables of the same names
 */
function migrateSync(database: DatabaseSync, target: MigrationTarget): void {
  if (pendingChanges(database, target).length === 0) return
  database.exec("begin immediate")
  try {
    createMigrationTables(database, target)
    const known = withoutHostTables(target, { applied: [], tables: columnsOf(database, target) })
    const insert = database.prepare(
      `insert into "${migrationTables(target.schema).applied}" (name, timestamp) values (?, ?)`,
    )
    for (const name of pendingChanges(database, target)) {
      for (const statement of schemaChanges[name]?.up(known) ?? []) database.exec(statement.compile().sql)
      insert.run(name, new Date().toISOString())
    }
    database.exec("commit")
  } catch (error) {
    database.exec("rollback")
    throw explainDuplicates(error, database, target)
  }
}

/** An error that names the users of rows that are there twice. The error itself if there are none. */
function explainDuplicates(error: unknown, database: DatabaseSync, target: MigrationTarget): unknown {
  const found = columnsOf(database, target)
  const sentences = findDuplicates(error, target).flatMap(({ table, query, toSentence }) => {
    const users = found.get(table)?.length ? select(database, query) : []
    return users.length > 0 ? [toSentence(users)] : []
  })
  return toDuplicateRows(error, sentences)
}

function pendingChanges(database: DatabaseSync, target: MigrationTarget): string[] {
  const hasHistory = select(database, selectColumns(target, migrationTables(target.schema).applied)).length > 0
  const applied = hasHistory ? select(database, selectApplied(target).compile()) : []
  assertKnownChanges(applied)
  const found = { applied, tables: columnsOf(database, target) }
  assertKnownTables(found, withoutHostTables(target, found).schema)
  return Object.keys(schemaChanges).filter((name) => !applied.includes(name))
}

/** The columns of each of the adapter's tables. */
function columnsOf(database: DatabaseSync, target: MigrationTarget): ReadonlyMap<string, readonly string[]> {
  return new Map(tableNames(target).map((name) => [name, select(database, selectColumns(target, name))]))
}

function select(database: DatabaseSync, query: Pick<CompiledQuery, "sql">): string[] {
  const rows = database.prepare(query.sql).all()
  return rows.map((row) => String(row["name"]))
}

/** Creates the tables as Kysely's `Migrator` does. */
function createMigrationTables(database: DatabaseSync, { schema }: MigrationTarget): void {
  const { applied, lock } = migrationTables(schema)
  database.exec(
    `create table if not exists "${applied}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
    create table if not exists "${lock}" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
    insert or ignore into "${lock}" ("id", "is_locked") values ('migration_lock', 0)`,
  )
}
