import type { CompiledQuery } from "kysely"
import type { AnyKysely } from "./any-kysely.js"
import type { Row, SqlRunner, Statement } from "./runner.js"

/** A statement that Kysely has compiled. */
export interface CompiledStatement extends Statement, Pick<CompiledQuery, "query" | "queryId"> {}

/** Runs statements through a host's own instance: its pool, its plugins, its log. */
export function kyselyRunner(db: AnyKysely): SqlRunner<CompiledStatement> {
  return {
    find: async (statement) => (await db.executeQuery<Row>(statement)).rows[0],
    list: async (statement) => (await db.executeQuery<Row>(statement)).rows,
    count: async (statement) => Number((await db.executeQuery(statement)).numAffectedRows ?? 0),
  }
}

/**
 * For databases whose text cannot hold U+0000: no row can match such text, so it is not asked for. The database would
 * answer with an error, which a visitor could provoke at will with a cookie.
 */
export function withoutNul(runner: SqlRunner<CompiledStatement>): SqlRunner<CompiledStatement> {
  return { ...runner, find: (statement) => (holdsNul(statement) ? undefined : runner.find(statement)) }
}

function holdsNul({ parameters }: Statement): boolean {
  return parameters.some((parameter) => typeof parameter === "string" && parameter.includes("\0"))
}
