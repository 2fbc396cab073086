import type { CompiledQuery, QueryResult } from "kysely"
import { type AnyKysely, overAnyTables } from "./any-kysely.js"
import { repeatConflicts } from "./repeat-conflicts.js"
import type { Row, SqlRunner, Statement } from "./runner.js"

/** A statement that Kysely has compiled. */
export interface CompiledStatement extends Statement, Pick<CompiledQuery, "query" | "queryId"> {}

/**
 * Runs statements through a host's own instance: its pool, its plugins, its log. What loses against others and was
 * taken back by the database is done again, except in a transaction of the host, which alone knows what belongs
 * together.
 */
export function kyselyRunner(db: AnyKysely): SqlRunner<CompiledStatement> {
  if (db.isTransaction) return runnerOver(db)
  const once = runnerOver(db)
  return {
    find: (statement) => repeatConflicts(() => once.find(statement)),
    list: (statement) => repeatConflicts(() => once.list(statement)),
    count: (statement) => repeatConflicts(() => once.count(statement)),
    insert: (statement) => repeatConflicts(() => once.insert(statement)),
    transact: (work) =>
      repeatConflicts(() =>
        overAnyTables(db)
          .transaction()
          .execute(async (transaction) => await work(runnerOver(transaction))),
      ),
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
