import { Kysely, PostgresDialect } from "kysely"
import { Pool, type PoolConfig } from "pg"
import { type ConnectedAdapter, connectedAdapter } from "../connected-adapter.js"
import { defaultTimeoutMilliseconds } from "../deadline.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"
import { impatientPool } from "./impatient-pool.js"

/** How the tables differ from the default ones, and how long a request may wait. */
export interface PostgresOptions extends SchemaOptions {
  /** How long a request waits for a connection, and then for an answer. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/**
 * Keeps the records in PostgreSQL, through a pool of `pg`. Nothing is opened before the first request; connections that
 * were lost are opened again. Call `migrate()` once when the app is deployed.
 * @param connection A URL, `postgres://user:password@host/database`, or what a pool of `pg` takes.
 * @throws TypeError when an option cannot work
 * @example const config = { adapter: postgres(process.env["DATABASE_URL"]), providers: [...] }
 */
export function postgres<const O extends PostgresOptions = PostgresOptions>(
  connection: string | PoolConfig,
  options: O = {} as O, // as: no options, no extra columns
): ConnectedAdapter<O> {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const config = typeof connection === "string" ? { connectionString: connection } : connection
  const open = (own: PoolConfig) => openPool({ connectionTimeoutMillis: timeoutMilliseconds, ...config, ...own })
  const pool = open({})
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: impatientPool(pool, timeoutMilliseconds) }) })
  const openForMigration = () => new Kysely<Database>({ dialect: new PostgresDialect({ pool: open({ max: 1 }) }) })
  return connectedAdapter({ db, openForMigration, close: () => end(pool) }, options)
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool({ keepAlive: true, ...config })
  // A connection that is lost while nobody uses it is not missed: the pool opens another one. Unheard it would end the
  // process.
  pool.on("error", () => {})
  return pool
}

async function end(pool: Pool): Promise<void> {
  if (!pool.ending) await pool.end()
}
