// Imported as `@latchkey/kysely-adapter/postgres`. Needs `pg`.
import { defaultTimeoutMilliseconds } from "@latchkey/adapter-kit"
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely"
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from "pg"
import { type ConnectedAdapter, connectedAdapter, startDeadline } from "../connected-adapter.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"

export { type ConnectedAdapter, DatabaseTimeout } from "../connected-adapter.js"

/** How your tables differ from the default ones, and how long a request may wait. */
export interface PostgresOptions extends SchemaOptions {
  /** How long a request waits for a connection, and then for an answer, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/**
 * Stores records in PostgreSQL, with a pool of `pg`. Connects on the first request, and reconnects when a connection is
 * lost. Call `migrate()` when you deploy.
 * @param connection A URL, `postgres://user:password@host/database`, or the options of a `pg` pool
 * @throws TypeError when an option is invalid
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
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: withDeadlines(pool, timeoutMilliseconds) }) })
  const openForMigration = () => new Kysely<Database>({ dialect: new PostgresDialect({ pool: open({ max: 1 }) }) })
  return connectedAdapter({ db, openForMigration, close: () => end(pool) }, options)
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool({ keepAlive: true, ...config })
  // An idle connection was lost. The pool opens another; without a listener, the event would end the process.
  pool.on("error", () => {})
  return pool
}

async function end(pool: Pool): Promise<void> {
  if (!pool.ending) await pool.end()
}

/**
 * A pool whose queries answer in time or fail. The connection of a query without an answer is discarded: its next user
 * would wait behind that query.
 */
function withDeadlines(pool: Pool, milliseconds: number): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = clients.get(client) ?? clientWithDeadlines(client, milliseconds)
      clients.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

function clientWithDeadlines(client: PoolClient, milliseconds: number): PostgresPoolClient {
  let isLost = false
  // Pending queries reject with the error; without a listener, the event would end the process.
  client.on("error", () => {})
  const query = (text: string, values: unknown[]) =>
    new Promise<QueryResult>((resolve, reject) => {
      const isInTime = startDeadline(milliseconds, (error) => {
        isLost = true
        reject(error)
      })
      client.query(text, values, (error, result) => {
        if (isInTime()) error ? reject(error) : resolve(result)
      })
    })
  const wrapped = { query, release: () => client.release(isLost) }
  return wrapped as unknown as PostgresPoolClient // as: queries are always text; cursors are not used
}
