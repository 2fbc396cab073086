import type { MysqlPool, MysqlPoolConnection, MysqlQueryResult } from "kysely"
import type { Pool, PoolConnection } from "mysql2"
import { untilDeadline } from "../deadline.js"

/**
 * A pool whose connections come and whose queries answer in time or fail. The connection of a query that did not answer
 * is thrown away: whoever got it next would wait behind the same query.
 */
export function impatientPool(pool: Pool, milliseconds: number): MysqlPool {
  const connections = new WeakMap<PoolConnection, MysqlPoolConnection>()
  const wrap = (connection: PoolConnection) => {
    const known = connections.get(connection) ?? impatientConnection(connection, milliseconds)
    connections.set(connection, known)
    return known
  }
  return {
    getConnection(callback: (error: unknown, connection: MysqlPoolConnection) => void) {
      const fail = callback as (error: unknown) => void // as: with an error there is no connection
      const isInTime = untilDeadline(milliseconds, fail)
      pool.getConnection((error, connection) => {
        if (!isInTime()) connection?.release()
        else if (error) fail(error)
        else callback(null, wrap(connection))
      })
    },
    end: (callback) => pool.end(callback),
  }
}

type Answer = (error: unknown, result: MysqlQueryResult) => void

function impatientConnection(connection: PoolConnection, milliseconds: number): MysqlPoolConnection {
  let isLost = false
  // Queries that wait hear of it themselves; without a listener it would end the process.
  connection.on("error", () => {})
  const query = (sql: string, parameters: unknown[], answer: Answer) => {
    const isInTime = untilDeadline(milliseconds, (error) => {
      isLost = true
      answer(error, [])
    })
    connection.query(sql, parameters, (error, result) => {
      if (isInTime()) answer(error, result as MysqlQueryResult) // as: never several results
    })
  }
  const release = () => (isLost ? connection.destroy() : connection.release())
  return {
    config: connection.config,
    threadId: connection.threadId,
    destroy: () => connection.destroy(),
    query,
    release,
  } as MysqlPoolConnection // as: without streams, which nobody asks for here
}
