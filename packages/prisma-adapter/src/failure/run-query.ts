import { type Operation, PrismaFailure, toPrismaFailure } from "./prisma-failure.js"

/** Runs a query of Prisma's, which begins each time that it is awaited. */
export type RunQuery = <T>(operation: Operation, query: () => PromiseLike<T>) => Promise<T>

interface Running {
  readonly timeoutMilliseconds: number
  /** What lost against others is not done again there: the host alone knows what belongs together. */
  readonly isTransaction: boolean
}

/** Prisma's code for a write that lost against another one and has changed nothing. */
const conflict = "P2034"

const mostRepetitions = 5
const firstPauseMilliseconds = 10

/** Queries that end in time, in an answer or in an error without a value in it. */
export function createRunner({ timeoutMilliseconds, isTransaction }: Running): RunQuery {
  const attempt = async <T>(operation: Operation, query: () => PromiseLike<T>): Promise<T> => {
    try {
      return await query()
    } catch (error) {
      throw toPrismaFailure(error, operation)
    }
  }
  return async (operation, query) => {
    const once = () => attempt(operation, query)
    return await inTime(isTransaction ? once() : repeatConflicts(once), timeoutMilliseconds)
  }
}

/** Does something again that lost against others, after a pause that differs from caller to caller. */
async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let repetition = 0; ; repetition += 1) {
    try {
      return await work()
    } catch (error) {
      const isConflict = error instanceof PrismaFailure && error.code === conflict
      if (!isConflict || repetition === mostRepetitions) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * firstPauseMilliseconds * 2 ** repetition))
    }
  }
}

async function inTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const deadline = Promise.withResolvers<never>()
  const late = () => deadline.reject(new PrismaFailure(`no answer within ${milliseconds} ms`, "ETIMEDOUT"))
  const timer = setTimeout(late, milliseconds)
  try {
    return await Promise.race([answer, deadline.promise])
  } finally {
    clearTimeout(timer)
  }
}
