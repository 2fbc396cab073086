// Imported as `@latchkey/kysely-adapter/postgres`. Needs `pg`.
import { readTimeout } from "@latchkey/adapter-kit"
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely"
import { Client, Pool, type PoolClient, type PoolConfig, type QueryResult } from "pg"
import { type ConnectedAdapter, connectedAdapter, DatabaseTimeout, startDeadline } from "../connected-adapter.js"
import type { Database } from "../tables/database.js"
import type { SchemaOptions } from "../tables/schema-options.js"

export { type ConnectedAdapter, DatabaseTimeout } from "../connected-adapter.js"

/** How your tables differ from the default ones, and how long a request may wait. */
export interface PostgresOptions extends SchemaOptions {
  /**
   * How long a request waits for a connection, and then for an answer, in milliseconds. The server ends its statements after
   * this time, too. Default: 10,000.
   */
  readonly timeoutMilliseconds?: number | undefined
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
  const timeoutMilliseconds = readTimeout(options)
  const config = typeof connection === "string" ? { connectionString: connection } : connection
  const { connectionTimeoutMillis = timeoutMilliseconds } = config
  const open = (own: PoolConfig) => openPool({ ...config, connectionTimeoutMillis, ...own })
  // Otherwise, the statements that were given up would wait on at the server, on connections that the pool no longer counts.
  const pool = open({ statement_timeout: config.statement_timeout ?? timeoutMilliseconds })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: withDeadlines(pool, timeoutMilliseconds) }) })
  const openForMigration = () => {
    const own = open({ max: 1 })
    const { options: settings } = own
    const shared = { options: settings, connect: () => connect(own), end: () => own.end() }
    return new Kysely<Database>({ dialect: new PostgresDialect({ pool: shared }) })
  }
  return connectedAdapter({ db, openForMigration, close: () => end(pool) }, options)
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool({ ...config, keepAlive: config.keepAlive ?? true })
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
      const client = await connect(pool)
      const known = clients.get(client) ?? clientWithDeadlines(client, { pool, milliseconds })
      clients.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

/** What `pg` says about a pool whose connections are all in use, and about a server that takes too long to accept one. */
const connectionTimeout = /^(?:timeout exceeded when trying to connect|.*connection timeout|timeout expired)$/

/** Some poolers, such as PgBouncer, accept no statement timeout. Then the queries that take too long are canceled. */
async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    const message = error instanceof Error ? error.message : ""
    if (connectionTimeout.test(message))
      throw new DatabaseTimeout(pool.options.connectionTimeoutMillis ?? 0, "connection", { cause: error })
    const isRefused = /startup parameter.*statement_timeout/.test(message)
    if (!isRefused || pool.options.statement_timeout === undefined) throw error
    delete pool.options.statement_timeout
    return connect(pool)
  }
}

interface Deadlines {
  readonly pool: Pool
  readonly milliseconds: number
}

/** The server's own timeout, or that of an operator. */
const queryCanceled = "57014"

function clientWithDeadlines(client: PoolClient, { pool, milliseconds }: Deadlines): PostgresPoolClient {
  let lost: Promise<void> | undefined
  // Pending queries reject with the error; without a listener, the event would end the process.
  client.on("error", () => {})
  const query = (text: string, values: unknown[]) =>
    new Promise<QueryResult>((resolve, reject) => {
      const isInTime = startDeadline(milliseconds, () => {
        lost = pool.options.statement_timeout === undefined ? cancelQuery(client, pool) : Promise.resolve()
        reject(new DatabaseTimeout(milliseconds, "answer"))
      })
      client.query(text, values, (error, result) => {
        if (!isInTime()) return
        if (!error) return resolve(result)
        const isCanceled = "code" in error && error.code === queryCanceled
        reject(isCanceled ? new DatabaseTimeout(milliseconds, "answer", { cause: error }) : error)
      })
    })
  // A pooler forgets the query of a connection that is gone: its cancellation has to come first.
  const release = () => (lost ? void lost.then(() => client.release(true)) : client.release())
  return { query, release } as unknown as PostgresPoolClient // as: queries are always text; cursors are not used
}

/** What a client of `pg` has, and its types leave out. */
interface CancelableClient {
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  readonly connection: NodeJS.EventEmitter & {
    connect(portOrPath: number | string, host?: string): void
    cancel(processID: number, secretKey: number): void
  }
}

/** How long a pool waits until the server has taken a cancellation. */
const cancelMilliseconds = 1000

/**
 * Asks the server to end the query of a client, on a connection of its own. Resolves in any case.
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
function cancelQuery(client: PoolClient, { options }: Pool): Promise<void> {
  const { processID, secretKey } = client as unknown as CancelableClient // as: see there
  const { connection, host, port } = new Client(options) as unknown as CancelableClient // as: see there
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, cancelMilliseconds)
    for (const event of ["end", "error"]) {
      connection.on(event, () => {
        clearTimeout(timer)
        resolve()
      })
    }
    connection.on("connect", () => connection.cancel(processID, secretKey))
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
