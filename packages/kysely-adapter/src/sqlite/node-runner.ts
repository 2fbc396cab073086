import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { SqlParameter } from "../sql/column-value.js"
import type { Row, SqlRunner, Statement } from "../sql/runner.js"
import { StatementCache } from "./statement-cache.js"

type Bindable = Exclude<SqlParameter, boolean>

/** Runs statements at once, without a promise. Each is prepared once; rows are arrays, which are made faster than objects. */
export function nodeRunner(database: DatabaseSync): SqlRunner<Statement> {
  const prepared = new StatementCache((text) => prepareForArrays(database, text))
  return {
    find: ({ sql, parameters }) => prepared.get(sql).get(...bindable(parameters)) as Row | undefined, // as: an array
    // `all` also for what writes: it goes on to the statement's end, so that an error at the end is not lost.
    list: ({ sql, parameters }) => prepared.get(sql).all(...bindable(parameters)),
    count: ({ sql, parameters }) => Number(prepared.get(sql).run(...bindable(parameters)).changes),
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
