/** How long a request waits for the database unless the host says otherwise. */
export const defaultTimeoutMilliseconds = 10_000

/** The database took longer to answer than a request may wait. Whether it did what it was asked is not known. */
export class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout"
  readonly code = "ETIMEDOUT"

  constructor(milliseconds: number) {
    super(`The database did not answer within ${milliseconds} ms`)
  }
}

/**
 * Calls back once: with the answer or, when that takes too long, with a `DatabaseTimeout`.
 * @returns What takes the answer; true where it was in time.
 */
export function untilDeadline(milliseconds: number, late: (error: DatabaseTimeout) => void): () => boolean {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    late(new DatabaseTimeout(milliseconds))
  }, milliseconds)
  return () => {
    clearTimeout(timer)
    return !isLate
  }
}
