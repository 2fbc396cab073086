import { closeSync, existsSync, openSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { DatabaseKind, SchemaOptions } from "@latchkey/kysely-adapter"
import { type MadeMigration, migrate, pendingSql } from "@latchkey/kysely-adapter/migrations"
import { Kysely, type PGlite } from "kysely"
import { type CommandContext, type LatchkeyConfig, UsageError } from "./config.js"

/** A database whose tables can be migrated. */
export interface OpenDatabase {
  migrate(to: string | undefined): Promise<readonly MadeMigration[]>
  /** The SQL that `migrate` would run. */
  pendingSql(to: string | undefined): Promise<string>
  close(): Promise<void>
}

interface Place {
  readonly address: string
  readonly tables: SchemaOptions
  readonly folder: string
}

type Open = (place: Place) => Promise<OpenDatabase>

/** The databases by URL scheme. */
const openers: Readonly<Record<string, Open>> = {
  "postgres:": openPostgres,
  "postgresql:": openPostgres,
  "mysql:": openMysql,
  "mariadb:": openMysql,
  "sqlite:": openSqlite,
  "file:": openSqlite,
  "pglite:": openPglite,
}

/**
 * Opens the database of the URL, the configuration or the environment.
 * @param url Takes precedence over the configuration and the environment
 * @throws UsageError when no database is named, or its scheme is unknown
 */
export async function openDatabase(
  url: string | undefined,
  { db, database, tables = {}, url: configured }: LatchkeyConfig,
  { environment, folder }: CommandContext,
): Promise<OpenDatabase> {
  if (url === undefined && db !== undefined)
    return overInstance(db, database === undefined ? tables : { ...tables, database })
  const address = url ?? configured ?? environment["DATABASE_URL"]
  if (!address)
    throw new UsageError(
      "No database given. Pass --url, set DATABASE_URL, or write url into latchkey.config.ts. The adapter of your app is not asked.",
    )
  const open = openers[/^[a-z]+:/.exec(address)?.[0] ?? ""]
  if (open === undefined)
    throw new UsageError(`Unknown database URL. It must start with ${Object.keys(openers).join(", ")}.`)
  return await open({ address, tables, folder })
}

async function openPostgres({ address, tables }: Place): Promise<OpenDatabase> {
  const { postgres } = await loadDriver("pg", () => import("@latchkey/kysely-adapter/postgres"))
  const { db, migrate: run, close } = postgres(address, tables)
  return { migrate: run, pendingSql: (to) => pendingSql(db, toOptions(tables, to)), close }
}

async function openMysql({ address, tables }: Place): Promise<OpenDatabase> {
  const { mysql } = await loadDriver("mysql2", () => import("@latchkey/kysely-adapter/mysql"))
  const { db, migrate: run, close } = mysql(address, tables)
  return { migrate: run, pendingSql: (to) => pendingSql(db, toOptions(tables, to)), close }
}

async function openPglite({ address, tables, folder }: Place): Promise<OpenDatabase> {
  const { PGlite: Instance } = await loadPglite()
  const { pglite } = await import("@latchkey/kysely-adapter/pglite")
  const { db, migrate: run, close } = pglite(new Instance(toPath(address, folder)), tables)
  return { migrate: run, pendingSql: (to) => pendingSql(db, toOptions(tables, to)), close }
}

function loadPglite(): Promise<PgliteModule> {
  const name: string = "@electric-sql/pglite"
  return loadDriver(name, (): Promise<PgliteModule> => import(name))
}

interface PgliteModule {
  readonly PGlite: new (folder: string) => PGlite
}

/** Creates a missing file only to migrate it. */
async function openSqlite({ address, tables, folder }: Place): Promise<OpenDatabase> {
  const path = toPath(address, folder)
  const open = async (file: string) => {
    const [{ DatabaseSync }, { nodeSqliteDialect }] = await Promise.all([
      import("node:sqlite"),
      import("@latchkey/kysely-adapter/sqlite"),
    ])
    if (file !== ":memory:") createPrivateFile(file)
    return new Kysely({ dialect: nodeSqliteDialect(new DatabaseSync(file, { timeout: 60_000 })) })
  }
  const within = async <T>(file: string, use: (database: OpenDatabase) => Promise<T>): Promise<T> => {
    const database = overInstance(await open(file), tables)
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  }
  return {
    migrate: (to) => within(path, (database) => database.migrate(to)),
    pendingSql: (to) => within(existsSync(path) ? path : ":memory:", (database) => database.pendingSql(to)),
    close: async () => undefined,
  }
}

/** A database that is only read. */
export interface ReadableDatabase {
  readonly db: Pick<Kysely<unknown>, "getExecutor" | "introspection">
  readonly kind: DatabaseKind
  close(): Promise<void>
}

/** A table of a million rows may be counted. */
const readMilliseconds = 10 * 60_000

/** A server that can be reached accepts a connection sooner, however large its database is. */
const connectMilliseconds = 10_000

/**
 * Opens a database of another library. Nothing is created in it.
 * @throws UsageError if the scheme is unknown or the file does not exist
 */
export async function openForReading(address: string, folder: string): Promise<ReadableDatabase> {
  const scheme = /^[a-z]+:/.exec(address)?.[0] ?? ""
  if (scheme === "postgres:" || scheme === "postgresql:") {
    const { postgres } = await loadDriver("pg", () => import("@latchkey/kysely-adapter/postgres"))
    const connection = { connectionString: address, connectionTimeoutMillis: connectMilliseconds }
    return { ...postgres(connection, { timeoutMilliseconds: readMilliseconds }), kind: "postgres" }
  }
  if (scheme === "mysql:" || scheme === "mariadb:") {
    const { mysql } = await loadDriver("mysql2", () => import("@latchkey/kysely-adapter/mysql"))
    const connection = { uri: address.replace(/^mariadb:/, "mysql:"), connectTimeout: connectMilliseconds }
    return { ...mysql(connection, { timeoutMilliseconds: readMilliseconds }), kind: "mysql" }
  }
  if (openers[scheme] === undefined)
    throw new UsageError(`Unknown database URL. It must start with ${Object.keys(openers).join(", ")}.`)
  const path = toPath(address, folder)
  if (!existsSync(path)) throw new UsageError(`There is no ${scheme === "pglite:" ? "folder" : "file"} ${path}.`)
  if (scheme === "pglite:") {
    const { PGlite: Instance } = await loadPglite()
    const { pglite } = await import("@latchkey/kysely-adapter/pglite")
    return { ...pglite(new Instance(path)), kind: "postgres" }
  }
  const { DatabaseSync } = await import("node:sqlite")
  const { nodeSqliteDialect } = await import("@latchkey/kysely-adapter/sqlite")
  const db = new Kysely({ dialect: nodeSqliteDialect(new DatabaseSync(path, { readOnly: true, timeout: 60_000 })) })
  return { db, kind: "sqlite", close: () => db.destroy() }
}

/** For its owner alone: it will contain the hashes of passwords and the tokens of accounts. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600))
  } catch {
    // SQLite says why it cannot be opened.
  }
}

function overInstance(
  db: NonNullable<LatchkeyConfig["db"]>,
  tables: SchemaOptions & Pick<LatchkeyConfig, "database">,
): OpenDatabase {
  return {
    migrate: (to) => migrate(db, toOptions(tables, to)),
    pendingSql: (to) => pendingSql(db, toOptions(tables, to)),
    close: () => db.destroy(),
  }
}

function toOptions<T extends object>(tables: T, to: string | undefined): T & { readonly to?: string } {
  return to === undefined ? tables : { ...tables, to }
}

/** The part after the scheme, with or without slashes, as a path. A URL of a file may have encoded characters. */
function toPath(address: string, folder: string): string {
  if (address.startsWith("file:///")) return fileURLToPath(address)
  return resolve(folder, address.replace(/^[a-z]+:(?:\/\/)?/, ""))
}

/** Loads a module that needs a driver which the host installs. */
async function loadDriver<T>(driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
    throw isMissing ? new UsageError(`This database needs ${driver}. Run npm install ${driver}.`, { cause }) : cause
  }
}
