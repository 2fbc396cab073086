import { createCaller, isMissingColumn, isMissingTable } from "@latchkey/adapter-kit"
import { DrizzleError, type DrizzleQueryError, is } from "drizzle-orm"

/**
 * A statement that failed. The message contains the statement and the driver's message without values: Drizzle's own
 * error, and those of some drivers, contain every parameter, tokens and email addresses included.
 */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure"
  /** The driver's code: `23505`, `ER_DUP_ENTRY`, `ECONNREFUSED`. */
  readonly code: string | number | undefined

  constructor(message: string, code: string | number | undefined) {
    super(`Drizzle: ${message}`)
    this.code = code
  }
}

/** Runs a Drizzle statement, which starts each time it is awaited. */
export type RunStatement = <T>(statement: () => PromiseLike<T>) => Promise<T>

interface RunnerOptions {
  readonly timeoutMilliseconds: number
  readonly isTransaction: boolean
}

/** Runs statements with a deadline, retries conflicts, and turns errors into a `DatabaseFailure`. */
export function createRunner(options: RunnerOptions): RunStatement {
  const call = createCaller({ ...options, toFailure: (message, code) => new DatabaseFailure(message, code) })
  return (statement) =>
    call(async () => {
      try {
        return await statement()
      } catch (error) {
        throw toDatabaseFailure(error)
      }
    })
}

const maxTextLength = 400

const migrateAdvice = "The database was not migrated: run `npx --no drizzle-kit migrate` before the app starts"

/**
 * Converts a driver's error into one that is safe to log.
 * @internal Exported for its test.
 */
export function toDatabaseFailure(error: unknown): DatabaseFailure {
  const query = findQuery(error)
  const origin = findOrigin(error)
  const code = findCode(origin)
  const message = origin instanceof Error ? withoutValues(origin.message, query) : ""
  const statement = query === "" ? "" : `in: ${query.slice(0, maxTextLength)}`
  const parts = [message, code === undefined ? "" : `(${code})`, statement].filter((part) => part !== "")
  const advice = isMissingTable(origin) || isMissingColumn(origin) ? `. ${migrateAdvice}` : ""
  return new DatabaseFailure((parts.join(" ") || "the driver failed without a message") + advice, code)
}

/** A `DrizzleQueryError`. Not by its class: in a CommonJS app, it is that of another copy of Drizzle. */
function isQueryError(error: unknown): error is DrizzleQueryError {
  return error instanceof Error && "query" in error && typeof error.query === "string" && "params" in error
}

function findQuery(error: unknown): string {
  if (isQueryError(error)) return error.query
  return isDrizzleError(error) ? findQuery(error.cause) : ""
}

const isDrizzleError = (error: unknown): error is DrizzleError => error instanceof Error && is(error, DrizzleError)

/** The driver's error, which Drizzle wraps in its own. */
function findOrigin(error: unknown): unknown {
  const isFromDrizzle = isQueryError(error) || isDrizzleError(error)
  return isFromDrizzle && error.cause !== undefined ? findOrigin(error.cause) : error
}

/** `node:sqlite` sets the same `code` for all its errors; `errcode` tells them apart. */
function findCode(error: unknown): string | number | undefined {
  if (typeof error !== "object" || error === null) return undefined
  const { code, errcode } = error as Partial<Record<string, unknown>> // as: each may be there
  return [errcode, code].find((one) => typeof one === "string" || typeof one === "number")
}

const quoted = /'([^']*)'|"([^"]*)"|`([^`]*)`/g
const anyQuote = /['"`]/

/**
 * A message up to the first quoted text that is not a name in the statement: messages quote values, and the statement
 * itself contains only placeholders.
 */
function withoutValues(message: string, query: string): string {
  const [line = ""] = message.split("\n")
  const names = [...line.matchAll(quoted)].map(([, single, double, back]) => single ?? double ?? back ?? "")
  const isPlain = !anyQuote.test(line.replaceAll(quoted, "")) && names.every((name) => query.includes(name))
  return (isPlain ? line : `${line.slice(0, line.search(anyQuote))}…`).slice(0, maxTextLength)
}
