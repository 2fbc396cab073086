import { CompiledQuery, Kysely, MysqlDialect, type MysqlDialectConfig } from "kysely"
import { createPool, type Pool, type PoolOptions } from "mysql2"
import { type ConnectedAdapter, connectedAdapter } from "../connected-adapter.js"
import { defaultTimeoutMilliseconds } from "../deadline.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"
import { impatientPool } from "./impatient-pool.js"

/** How the tables differ from the default ones, and how long a request may wait. */
export interface MysqlOptions extends SchemaOptions {
  /** How long a request waits for a connection, and then for an answer. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/**
 * What a session is set to, whatever the server is: values that do not fit are refused instead of cut off, `\` escapes,
 * as the driver expects, and instants are in UTC.
 */
const sessionSettings = `set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  time_zone = '+00:00'`

/**
 * Keeps the records in MySQL (8.0.17 or newer) or MariaDB (10.5 or newer), through a pool of `mysql2`. Nothing is
 * opened before the first request; connections that were lost are opened again. Call `migrate()` once when the app is
 * deployed.
 * @param connection A URL, `mysql://user:password@host/database`, or what a pool of `mysql2` takes.
 * @throws TypeError when an option cannot work
 * @example const config = { adapter: mysql(process.env["DATABASE_URL"]), providers: [...] }
 */
export function mysql<const O extends MysqlOptions = MysqlOptions>(
  connection: string | PoolOptions,
  options: O = {} as O, // as: no options, no extra columns
): ConnectedAdapter<O> {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const config = typeof connection === "string" ? { uri: toMysqlUrl(connection) } : connection
  const openOwn = (own: PoolOptions) => openPool({ connectTimeout: timeoutMilliseconds, ...config, ...own })
  const pool = openOwn({})
  const open = (shared: MysqlDialectConfig["pool"]) =>
    new Kysely<Database>({ dialect: new MysqlDialect({ pool: shared, onCreateConnection: setUpSession }) })
  const openForMigration = () => open(openOwn({ connectionLimit: 1 }))
  const close = closing(pool)
  return connectedAdapter({ db: open(impatientPool(pool, timeoutMilliseconds)), openForMigration, close }, options)
}

/** Ends the pool once, however often it is called. */
function closing(pool: Pool): () => Promise<void> {
  let ended: Promise<void> | undefined
  return () => {
    ended ??= new Promise((resolve, reject) => pool.end((error) => (error ? reject(error) : resolve())))
    return ended
  }
}

function openPool(config: PoolOptions): Pool {
  return createPool({ charset: "utf8mb4", timezone: "Z", supportBigNumbers: true, enableKeepAlive: true, ...config })
}

/** @param connection Executes what every other query of it must find done. */
async function setUpSession(connection: { executeQuery(query: CompiledQuery): Promise<unknown> }): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(sessionSettings))
}

function toMysqlUrl(url: string): string {
  return url.replace(/^mariadb:/, "mysql:")
}
