import { repeatConflicts } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import type { CompiledQuery, IsolationLevel, Kysely, QueryResult } from "kysely"

/** A Kysely instance or transaction, with any tables. */
export type AnyKysely = Pick<Kysely<unknown>, "getExecutor" | "executeQuery" | "isTransaction">

/** Tables whose names are only known at run time. */
export type AnyTables = Record<string, Record<string, unknown>>

/** The instance, for statements whose names come from a schema. */
export function overAnyTables(db: AnyKysely): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables> // as: only a Kysely has these members, and its types know no names here
}

/** A value to bind. Never an object, which some drivers would treat as named parameters. */
export type SqlParameter = string | number | bigint | boolean | null

/** The values of a row: an array in the order of the selection, or an object with the selection's aliases. */
export type Row = readonly unknown[] | Readonly<Record<string, unknown>>

/** A compiled statement with its parameters, in the order of its placeholders. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
}

/** Runs statements. Answers synchronously if the driver does, so that no promise is created. */
export interface SqlRunner<S extends Statement = Statement> {
  /** The first row of a statement that only reads. */
  find(statement: S): Awaitable<Row | undefined>
  /** All rows of a statement that reads, or of one that writes and returns what it wrote. */
  list(statement: S): Awaitable<readonly Row[]>
  /** How many rows a statement wrote. */
  count(statement: S): Awaitable<number>
  /** Inserts a row and returns the integer id that the database generated. */
  insert(statement: S): Awaitable<bigint | number | undefined>
  /** Runs all of the work, or nothing if any of it fails. */
  transact<T>(work: (runner: SqlRunner<S>) => Awaitable<T>): Awaitable<T>
}

/** A statement that Kysely compiled. */
export interface CompiledStatement extends Statement, Pick<CompiledQuery, "query" | "queryId"> {}

/**
 * Runs statements through the host's instance: its pool, its plugins, its log. Conflicts are retried, except in a
 * transaction of the host, which only the host can retry as a whole.
 * @param isolation Of the adapter's own transactions. Default: the server's.
 */
export function kyselyRunner(db: AnyKysely, isolation?: IsolationLevel): SqlRunner<CompiledStatement> {
  if (db.isTransaction) return runnerOver(db)
  const once = runnerOver(db)
  const begin = () => {
    const transaction = overAnyTables(db).transaction()
    return isolation === undefined ? transaction : transaction.setIsolationLevel(isolation)
  }
  return {
    find: (statement) => repeatConflicts(() => once.find(statement)),
    list: (statement) => repeatConflicts(() => once.list(statement)),
    count: (statement) => repeatConflicts(() => once.count(statement)),
    insert: (statement) => repeatConflicts(() => once.insert(statement)),
    transact: (work) =>
      repeatConflicts(() => begin().execute(async (transaction) => await work(runnerOver(transaction)))),
  }
}

function runnerOver(db: AnyKysely): SqlRunner<CompiledStatement> {
  const run = (statement: CompiledStatement): Promise<QueryResult<Row>> => db.executeQuery<Row>(statement)
  const runner: SqlRunner<CompiledStatement> = {
    find: async (statement) => (await run(statement)).rows[0],
    list: async (statement) => (await run(statement)).rows,
    count: async (statement) => Number((await run(statement)).numAffectedRows ?? 0),
    insert: async (statement) => (await run(statement)).insertId,
    transact: (work) => work(runner),
  }
  return runner
}
