/**
 * By these names databases say that a statement lost against another one and has changed nothing: serialization failure
 * and deadlock of SQL's standard, deadlock and changed row of MySQL and MariaDB.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 * @see https://mariadb.com/kb/en/mariadb-error-codes/
 */
const conflicts: ReadonlySet<unknown> = new Set(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_CHECKREAD"])

const mostRepetitions = 5
const firstPauseMilliseconds = 10

/** Does something again that lost against others, after a pause that differs from caller to caller. */
export async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let repetition = 0; ; repetition += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || repetition === mostRepetitions) throw error
      await pause(Math.random() * firstPauseMilliseconds * 2 ** repetition)
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && conflicts.has(error.code)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
