import type { PostgresPool, PostgresPoolClient } from "kysely"
import type { Pool, PoolClient, QueryResult } from "pg"
import { untilDeadline } from "../deadline.js"

/**
 * A pool whose queries answer in time or fail. The connection of one that did not answer is thrown away: whoever got it
 * next would wait behind the same query.
 */
export function impatientPool(pool: Pool, milliseconds: number): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = clients.get(client) ?? impatientClient(client, milliseconds)
      clients.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

function impatientClient(client: PoolClient, milliseconds: number): PostgresPoolClient {
  let isLost = false
  // Queries that wait hear of it themselves; without a listener it would end the process.
  client.on("error", () => {})
  const query = (text: string, values: unknown[]) =>
    new Promise<QueryResult>((resolve, reject) => {
      const isInTime = untilDeadline(milliseconds, (error) => {
        isLost = true
        reject(error)
      })
      client.query(text, values, (error, result) => {
        if (isInTime()) error ? reject(error) : resolve(result)
      })
    })
  const wrapped = { query, release: () => client.release(isLost) }
  return wrapped as unknown as PostgresPoolClient // as: for text alone; nobody asks for cursors here
}
