import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Awaitable } from "@latchkey/core/adapters"
import type { SqlParameter } from "../sql/column-value.js"
import type { Row, SqlRunner, Statement } from "../sql/runner.js"
import { StatementCache } from "./statement-cache.js"

type Bindable = Exclude<SqlParameter, boolean>

/**
 * Runs statements at once, without a promise. Each is prepared once; rows are arrays, which are made faster than
 * objects.
 */
export function nodeRunner(database: DatabaseSync): SqlRunner<Statement> {
  const prepared = new StatementCache((text) => prepareForArrays(database, text))
  const run = ({ sql, parameters }: Statement) => prepared.get(sql).run(...bindable(parameters))
  const runner: SqlRunner<Statement> = {
    find: ({ sql, parameters }) => prepared.get(sql).get(...bindable(parameters)) as Row | undefined, // as: an array
    // `all` also for what writes: it goes on to the statement's end, so that an error at the end is not lost.
    list: ({ sql, parameters }) => prepared.get(sql).all(...bindable(parameters)),
    count: (statement) => Number(run(statement).changes),
    insert: (statement) => run(statement).lastInsertRowid,
    transact: (work) => transact(database, () => work(runner)),
  }
  return runner
}

/** By a savepoint, which may stand within a transaction of the host. Nothing waits in it, so nothing comes between. */
function transact<T>(database: DatabaseSync, work: () => Awaitable<T>): Awaitable<T> {
  database.exec("savepoint latchkey")
  try {
    const done = work()
    database.exec("release latchkey")
    return done
  } catch (error) {
    database.exec("rollback to latchkey; release latchkey")
    throw error
  }
}

function prepareForArrays(database: DatabaseSync, text: string): StatementSync {
  const statement = database.prepare(text)
  statement.setReturnArrays(true)
  return statement
}

function bindable(parameters: readonly SqlParameter[]): readonly Bindable[] {
  return parameters as readonly Bindable[] // as: the SQLite dialect turns booleans into numbers
}
