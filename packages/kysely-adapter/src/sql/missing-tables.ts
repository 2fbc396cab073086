import { isMissingColumn, isMissingTable } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import type { CompiledStatement, SqlRunner } from "./runner.js"
import type { SqlAccess } from "./table-rows.js"

/** The database was not migrated to this version. The cause is the database's own error. */
class MissingTables extends Error {
  override readonly name = "MissingTables"
}

const advice = "Run `npx --no latchkey migrate` before the app starts, or call `adapter.migrate()`"

/**
 * The sentence for a database that was not migrated.
 * @param missing Names of tables, and of columns after their table's: `Spent`, `Authenticator.name`
 */
function toSentence(missing: readonly string[]): string {
  return `The database was not migrated. Missing: ${missing.join(", ")}. ${advice}`
}

/**
 * The access with a runner whose errors name everything that is missing, and how to migrate. In a transaction, where an error
 * ends the statements of PostgreSQL, and with a synchronous driver, they name what the database names.
 */
export function explainMissing(access: SqlAccess): SqlAccess {
  const { runner, transactions } = access
  const explain = async (error: unknown): Promise<never> => {
    const { findMissing } = await import("../migrations/missing.js")
    const missing = await findMissing(access).catch(() => [])
    throw missing.length === 0 ? error : new MissingTables(toSentence(missing), { cause: error })
  }
  if (transactions === "joined") return { ...access, runner: explaining(runner, name) }
  const guarded = explaining(runner, (error) => (isMissing(error) ? explain(error) : name(error)))
  return { ...access, runner: guarded }
}

function isMissing(error: unknown): boolean {
  return !(error instanceof MissingTables) && (isMissingTable(error) || isMissingColumn(error))
}

/** Adds the advice to the database's own message. */
function name(error: unknown): never {
  if (!(error instanceof Error) || !isMissingTable(error) || error instanceof MissingTables) throw error
  throw new MissingTables(`${error.message}. ${advice}`, { cause: error })
}

type Explain = (error: unknown) => Awaitable<never>

function explaining(runner: SqlRunner<CompiledStatement>, explain: Explain): SqlRunner<CompiledStatement> {
  const guard = <T>(run: () => Awaitable<T>): Awaitable<T> => {
    try {
      const answer = run()
      return answer instanceof Promise ? answer.catch(explain) : answer
    } catch (error) {
      return name(error)
    }
  }
  return {
    find: (statement) => guard(() => runner.find(statement)),
    list: (statement) => guard(() => runner.list(statement)),
    count: (statement) => guard(() => runner.count(statement)),
    insert: (statement) => guard(() => runner.insert(statement)),
    // Once the transaction is rolled back, the database can be asked.
    transact: (work) => guard(() => runner.transact(work)),
  }
}
