import type { Awaitable } from "@latchkey/core/adapters"

/** How long a call waits for the database unless the host sets a timeout. */
const defaultTimeoutMilliseconds = 10_000
/** Timers with a longer delay fire at once. */
const longestTimerMilliseconds = 2 ** 31 - 1

/**
 * Reads the option `timeoutMilliseconds` of an adapter.
 * @throws TypeError for a time that timers do not support: every call would fail at once
 */
export function readTimeout(options: { readonly timeoutMilliseconds?: number | undefined }): number {
  const { timeoutMilliseconds: milliseconds = defaultTimeoutMilliseconds } = options
  if (milliseconds > 0 && milliseconds <= longestTimerMilliseconds) return milliseconds
  throw new TypeError(`timeoutMilliseconds: must be a positive number, at most ${longestTimerMilliseconds}`)
}

/**
 * The codes for a statement that lost a conflict and changed nothing: serialization failure and deadlock in standard SQL
 * (PostgreSQL and its derivatives), deadlock and changed row in MySQL and MariaDB.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 * @see https://mariadb.com/kb/en/mariadb-error-codes/
 */
const sqlConflicts: ReadonlySet<unknown> = new Set(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_CHECKREAD"])

/** The codes for a unique column that already contains the value. */
const sqlUniqueViolations: ReadonlySet<unknown> = new Set([
  "23505", // pg, PGlite, and other PostgreSQL drivers
  "ER_DUP_ENTRY", // mysql2, mariadb
  "SQLITE_CONSTRAINT_UNIQUE", // better-sqlite3, libsql and others
  "SQLITE_CONSTRAINT_PRIMARYKEY",
  2067, // node:sqlite: SQLITE_CONSTRAINT_UNIQUE, https://www.sqlite.org/rescode.html
  1555, // node:sqlite: SQLITE_CONSTRAINT_PRIMARYKEY
])

/** The codes for a statement on a table that does not exist. */
const sqlMissingTables: ReadonlySet<unknown> = new Set([
  "42P01", // PostgreSQL drivers
  "ER_NO_SUCH_TABLE", // mysql2, mariadb
])

/** The codes for a statement on a column that does not exist. */
const sqlMissingColumns: ReadonlySet<unknown> = new Set(["42703", "ER_BAD_FIELD_ERROR"])

const maxRetries = 5
const firstPauseMilliseconds = 10

/**
 * Retries work that lost a conflict, up to five times, after a random pause that grows with each attempt.
 * @param conflictCodes The `code` of errors to retry. Default: those of SQL databases.
 */
export async function repeatConflicts<T>(
  work: () => Awaitable<T>,
  conflictCodes: ReadonlySet<unknown> = sqlConflicts,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await work()
    } catch (error) {
      const isConflict = error instanceof Error && "code" in error && conflictCodes.has(error.code)
      if (!isConflict || retry === maxRetries) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * firstPauseMilliseconds * 2 ** retry))
    }
  }
}

/**
 * Reports whether a database rejected a row because a unique column already contains the value: an email that another
 * user has, an account that is already linked. Also checks the error's causes, so you can pass an `AdapterError`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return hasErrorCode(error, sqlUniqueViolations)
}

/** Reports whether a statement failed because its table does not exist. SQLite reports this in the message only. */
export function isMissingTable(error: unknown): boolean {
  return hasErrorCode(error, sqlMissingTables) || hasMessage(error, /\bno such table\b/)
}

/** Reports whether a statement failed because its table lacks a column. SQLite reports this in the message only. */
export function isMissingColumn(error: unknown): boolean {
  return hasErrorCode(error, sqlMissingColumns) || hasMessage(error, /\bno such column\b|\bhas no column named\b/)
}

function hasMessage(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || hasMessage(error.cause, pattern))
}

/** Reports whether an error, or one of its causes, has one of the codes (in `code`, or `errcode` for `node:sqlite`). */
export function hasErrorCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  if (typeof error !== "object" || error === null) return false
  const { code, errcode, cause, err } = error as Partial<Record<string, unknown>> // as: each may be there
  return codes.has(code) || codes.has(errcode) || hasErrorCode(cause, codes) || hasErrorCode(err, codes)
}

/** How an adapter calls a database whose driver has no deadline of its own. */
export interface CallOptions {
  readonly timeoutMilliseconds: number
  /** True for a transaction of the host: only the host can retry it as a whole. */
  readonly isTransaction: boolean
  /** The `code` of errors to retry. Default: those of SQL databases. */
  readonly conflictCodes?: ReadonlySet<unknown> | undefined
  /** The adapter's own error, such as `new DatabaseFailure(message, code)`. */
  toFailure(message: string, code: string): Error
}

/** Returns a function that makes a call, retries it after a conflict, and rejects if the database does not answer in time. */
export function createCaller(options: CallOptions): <T>(call: () => Promise<T>) => Promise<T> {
  const { isTransaction, conflictCodes, timeoutMilliseconds } = options
  return async (call) => {
    let failure: Error | undefined
    // What the caller was told has failed must not be tried once more.
    const attempt = () => (failure ? Promise.reject(failure) : call())
    const answer = isTransaction ? call() : repeatConflicts(attempt, conflictCodes)
    const deadline = Promise.withResolvers<never>()
    const reject = () => {
      failure = options.toFailure(`no answer within ${timeoutMilliseconds} ms`, "ETIMEDOUT")
      deadline.reject(failure)
    }
    const timer = setTimeout(reject, timeoutMilliseconds)
    try {
      return await Promise.race([answer, deadline.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A transaction of the adapter, and how the adapter calls its database. */
export interface TransactionCall<Transaction, T> {
  /** Makes a call with a deadline, retries conflicts, and converts errors: built on `createCaller`. */
  run<R>(call: () => PromiseLike<R>): Promise<R>
  /** Begins the driver's transaction. */
  begin(work: (transaction: Transaction) => Promise<T>): PromiseLike<T>
  work(transaction: Transaction): Awaitable<T>
}

/**
 * Runs a transaction as one call: beginning and committing it can fail or hang like a statement. An error that the work
 * throws is rethrown unchanged. Work that would begin after the deadline does not begin.
 */
export async function callTransaction<Transaction, T>(options: TransactionCall<Transaction, T>): Promise<T> {
  const state: { isOver: boolean; failed: { readonly error: unknown } | null } = { isOver: false, failed: null }
  const work = async (transaction: Transaction) => {
    if (state.isOver) throw new Error("The transaction began after its deadline")
    try {
      return await options.work(transaction)
    } catch (error) {
      state.failed = { error }
      throw error
    }
  }
  try {
    return await options.run(() => {
      state.failed = null
      return options.begin(work)
    })
  } catch (error) {
    throw state.failed ? state.failed.error : error
  } finally {
    state.isOver = true
  }
}
