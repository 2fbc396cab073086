import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { isDate } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import { SqliteDialect } from "kysely"
import type { Row, SqlParameter, SqlRunner, Statement } from "../sql/runner.js"

/**
 * A Kysely dialect for `node:sqlite`, for your own queries in the same file. Booleans are bound as 1 and 0, dates as ISO
 * 8601 text in UTC, as the adapter stores them.
 * @example const db = new Kysely<Database & MyTables>({ dialect: nodeSqliteDialect(adapter.database) })
 */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  const prepared = new StatementCache((text) => database.prepare(text))
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(text) {
        const statement = prepared.get(text)
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...parameters.map(toBindable)),
          run: (parameters) => statement.run(...parameters.map(toBindable)),
          iterate: (parameters) => statement.iterate(...parameters.map(toBindable)),
        }
      },
    },
  })
}

/** SQLite would treat an object as the first parameter as named parameters, and store NULL without an error. */
function toBindable(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0
  if (isDate(value)) return value.toISOString()
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot store a value of type ${typeof value}`)
}

/**
 * Runs the adapter's statements synchronously. Rows are arrays, which are created faster than objects. While a transaction
 * waits for something, the statements of others wait for its end.
 */
export function nodeRunner(database: DatabaseSync): SqlRunner<Statement> {
  const inside = directRunner(database)
  let running: Promise<unknown> | null = null
  const inTurn = <T>(run: () => Awaitable<T>): Awaitable<T> =>
    running === null ? run() : running.then(() => inTurn(run))
  return {
    find: (statement) => inTurn(() => inside.find(statement)),
    list: (statement) => inTurn(() => inside.list(statement)),
    count: (statement) => inTurn(() => inside.count(statement)),
    insert: (statement) => inTurn(() => inside.insert(statement)),
    transact: (work) =>
      inTurn(() => {
        const done = transact(database, () => work(inside))
        if (!(done instanceof Promise)) return done
        const ended = done.then(ignore, ignore).then(() => {
          running = null
        })
        running = ended
        return done
      }),
  }
}

function ignore(): void {}

function directRunner(database: DatabaseSync): SqlRunner<Statement> {
  const prepared = new StatementCache((text) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  })
  const run = ({ sql, parameters }: Statement) => prepared.get(sql).run(...bindable(parameters))
  const runner: SqlRunner<Statement> = {
    find: ({ sql, parameters }) => prepared.get(sql).get(...bindable(parameters)) as Row | undefined, // as: an array
    // `all` also runs statements that write to their end, so that an error at the end is not lost.
    list: ({ sql, parameters }) => prepared.get(sql).all(...bindable(parameters)),
    count: (statement) => Number(run(statement).changes),
    insert: (statement) => run(statement).lastInsertRowid,
    transact: (work) => work(runner),
  }
  return runner
}

function bindable(parameters: readonly SqlParameter[]): readonly Exclude<SqlParameter, boolean>[] {
  return parameters as readonly Exclude<SqlParameter, boolean>[] // as: the SQLite dialect turns booleans into numbers
}

/** Uses a savepoint, which works inside a transaction of the host, too. Work without a promise cannot be interleaved. */
function transact<T>(database: DatabaseSync, work: () => Awaitable<T>): Awaitable<T> {
  const commit = <R>(result: R): R => {
    database.exec("release latchkey")
    return result
  }
  const undo = (error: unknown): never => {
    database.exec("rollback to latchkey; release latchkey")
    throw error
  }
  database.exec("savepoint latchkey")
  try {
    const done = work()
    return done instanceof Promise ? done.then(commit).catch(undo) : commit(done)
  } catch (error) {
    return undo(error)
  }
}

const maxStatements = 100

/** Caches prepared statements by text; evicts the oldest. */
class StatementCache {
  readonly #prepare: (text: string) => StatementSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(prepare: (text: string) => StatementSync) {
    this.#prepare = prepare
  }

  get(text: string): StatementSync {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined && this.#prepared.size >= maxStatements) this.#prepared.delete(oldest)
    const statement = this.#prepare(text)
    this.#prepared.set(text, statement)
    return statement
  }
}
