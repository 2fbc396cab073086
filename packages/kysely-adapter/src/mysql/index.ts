// Imported as `@latchkey/kysely-adapter/mysql`. For MySQL and MariaDB; needs `mysql2`.
import { readTimeout } from "@latchkey/adapter-kit"
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection, type MysqlQueryResult } from "kysely"
import { createPool, type Pool, type PoolConnection, type PoolOptions } from "mysql2"
import { type ConnectedAdapter, connectedAdapter, DatabaseTimeout, startDeadline } from "../connected-adapter.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"

export { type ConnectedAdapter, DatabaseTimeout } from "../connected-adapter.js"

/** How your tables differ from the default ones, and how long a request may wait. */
export interface MysqlOptions extends SchemaOptions {
  /** How long a request waits for a connection, and then for an answer, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number | undefined
}

/**
 * The settings of each session, regardless of the server's defaults: values that do not fit are rejected instead of
 * truncated, `\` escapes (the driver depends on it), and instants are in UTC.
 */
const sessionSettings = `set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
  time_zone = '+00:00'`

/**
 * A request waits no longer at the server than in the app. Otherwise, the statements that were given up would wait for a lock
 * for up to a day, each on a connection that the app no longer counts.
 */
function withLockTimeout(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return `${sessionSettings}, innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}`
}

/**
 * Stores records in MySQL (8.0.17 or newer) or MariaDB (10.5 or newer), with a pool of `mysql2`. Connects on the first
 * request, and reconnects when a connection is lost. Call `migrate()` when you deploy.
 * @param connection A URL, `mysql://user:password@host/database`, or the options of a `mysql2` pool
 * @throws TypeError when an option is invalid
 * @example const config = { adapter: mysql(process.env["DATABASE_URL"]), providers: [...] }
 */
export function mysql<const O extends MysqlOptions = MysqlOptions>(
  connection: string | PoolOptions,
  options: O = {} as O, // as: no options, no extra columns
): ConnectedAdapter<O> {
  const timeoutMilliseconds = readTimeout(options)
  const config = typeof connection === "string" ? { uri: connection.replace(/^mariadb:/, "mysql:") } : connection
  const { connectTimeout = timeoutMilliseconds } = config
  const openOwn = (own: PoolOptions) => openPool({ ...config, connectTimeout, ...own })
  const pool = openOwn({})
  const open = (own: Pool, milliseconds: number | null) =>
    new Kysely<Database>({ dialect: new MysqlDialect({ pool: withDeadlines(own, { milliseconds, connectTimeout }) }) })
  const openForMigration = () => open(openOwn({ connectionLimit: 1 }), null)
  const db = open(pool, timeoutMilliseconds)
  return connectedAdapter({ db, openForMigration, close: createClose(pool) }, options)
}

function openPool(config: PoolOptions): Pool {
  const { charset = "utf8mb4", timezone = "Z", supportBigNumbers = true, enableKeepAlive = true } = config
  return createPool({ ...config, charset, timezone, supportBigNumbers, enableKeepAlive })
}

/** Ends the pool once, even if called more than once. */
function createClose(pool: Pool): () => Promise<void> {
  let ended: Promise<void> | undefined
  return () => {
    ended ??= new Promise((resolve, reject) =>
      pool.end((error) => (error && !isTimeout(error) ? reject(error) : resolve())),
    )
    return ended
  }
}

interface Deadlines {
  /** How long to wait for a connection, and then for an answer. Null: no limit. */
  readonly milliseconds: number | null
  /** How long the driver waits for the server to accept a connection. */
  readonly connectTimeout: number
}

type GotConnection = (error: unknown, connection?: MysqlPoolConnection) => void

/**
 * A pool that provides connections, and answers queries, in time or fails. The connection of a query without an answer
 * is discarded: its next user would wait behind that query.
 */
function withDeadlines(pool: Pool, { milliseconds, connectTimeout }: Deadlines): MysqlPool {
  const connections = new WeakMap<PoolConnection, MysqlPoolConnection>()
  const settings = milliseconds === null ? sessionSettings : withLockTimeout(milliseconds)
  /** Not by Kysely's `onCreateConnection`: a connection that failed there would stay in use for ever. */
  const prepare = (connection: PoolConnection, callback: GotConnection) => {
    const known = connections.get(connection)
    if (known) return callback(null, known)
    const prepared = connectionWithDeadlines(connection, milliseconds)
    prepared.query(settings, [], (error) => {
      if (error) {
        connection.destroy()
        return callback(error)
      }
      connections.set(connection, prepared)
      callback(null, prepared)
    })
  }
  return {
    getConnection(got) {
      const callback = got as GotConnection // as: a callback with an error gets no connection
      const isInTime = startDeadline(milliseconds, (late) => callback(new DatabaseTimeout(late, "connection")))
      pool.getConnection((error, connection) => {
        if (!isInTime()) connection?.release()
        else if (!error) prepare(connection, callback)
        else callback(isTimeout(error) ? new DatabaseTimeout(connectTimeout, "connection", { cause: error }) : error)
      })
    },
    end: (callback) => pool.end(callback),
  }
}

/** The server took too long to accept a connection. */
function isTimeout({ code }: NodeJS.ErrnoException): boolean {
  return code === "ETIMEDOUT"
}

type QueryCallback = (error: unknown, result: MysqlQueryResult) => void

function connectionWithDeadlines(connection: PoolConnection, milliseconds: number | null): MysqlPoolConnection {
  let isLost = false
  // Pending queries fail with the error; without a listener, the event would end the process.
  connection.on("error", () => {})
  const query = (sql: string, parameters: unknown[], callback: QueryCallback) => {
    const isInTime = startDeadline(milliseconds, (late) => {
      isLost = true
      callback(new DatabaseTimeout(late, "answer"), [])
    })
    connection.query(sql, parameters, (error, result) => {
      if (isInTime()) callback(error, result as MysqlQueryResult) // as: never several results
    })
  }
  return {
    config: connection.config,
    threadId: connection.threadId,
    destroy: () => connection.destroy(),
    query,
    release: () => (isLost ? connection.destroy() : connection.release()),
  } as MysqlPoolConnection // as: without streams, which are not used
}
