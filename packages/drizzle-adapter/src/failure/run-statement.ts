import { DatabaseFailure, toDatabaseFailure } from "./database-failure.js"
import { repeatConflicts } from "./repeat-conflicts.js"

/** Runs a statement of Drizzle's, which begins each time that it is awaited. */
export type RunStatement = <T>(statement: () => PromiseLike<T>) => Promise<T>

interface Running {
  readonly timeoutMilliseconds: number
  /** What lost against others is not done again there: the host alone knows what belongs together. */
  readonly isTransaction: boolean
}

/** Statements that end in time, in an answer or in an error without a value in it. */
export function createRunner({ timeoutMilliseconds, isTransaction }: Running): RunStatement {
  const attempt = async <T>(statement: () => PromiseLike<T>): Promise<T> => {
    try {
      return await statement()
    } catch (error) {
      throw toDatabaseFailure(error)
    }
  }
  return async (statement) => {
    const once = () => attempt(statement)
    return await inTime(isTransaction ? once() : repeatConflicts(once), timeoutMilliseconds)
  }
}

async function inTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const deadline = Promise.withResolvers<never>()
  const late = () => deadline.reject(new DatabaseFailure(`no answer within ${milliseconds} ms`, "ETIMEDOUT"))
  const timer = setTimeout(late, milliseconds)
  try {
    return await Promise.race([answer, deadline.promise])
  } finally {
    clearTimeout(timer)
  }
}
