import { DrizzleError, DrizzleQueryError } from "drizzle-orm"

/**
 * A statement that a database did not do. The message has the statement and what the driver says of it, without values;
 * Drizzle's own error, and those of some drivers, carry every parameter, and with them tokens and addresses.
 */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure"
  /** As the driver gives it: `23505`, `ER_DUP_ENTRY`, `ECONNREFUSED`. */
  readonly code: string | number | undefined

  constructor(message: string, code: string | number | undefined) {
    super(`Drizzle: ${message}`)
    this.code = code
  }
}

/** Longer ones tell nobody more. */
const longestText = 400

/** What went wrong, in words that may stand in a log. */
export function toDatabaseFailure(error: unknown): DatabaseFailure {
  const query = findQuery(error)
  const origin = findOrigin(error)
  const code = findCode(origin)
  const said = origin instanceof Error ? withoutValues(origin.message, query) : ""
  const parts = [said, code === undefined ? "" : `(${code})`, query === "" ? "" : `in: ${query.slice(0, longestText)}`]
  return new DatabaseFailure(parts.filter((part) => part !== "").join(" ") || "the driver failed without a word", code)
}

function findQuery(error: unknown): string {
  if (error instanceof DrizzleQueryError) return error.query
  return error instanceof DrizzleError ? findQuery(error.cause) : ""
}

/** The driver's error, under those of Drizzle. */
function findOrigin(error: unknown): unknown {
  const isOfDrizzle = error instanceof DrizzleQueryError || error instanceof DrizzleError
  return isOfDrizzle && error.cause !== undefined ? findOrigin(error.cause) : error
}

/** SQLite of Node says in `errcode` what happened, and the same in `code` of all its errors. */
function findCode(error: unknown): string | number | undefined {
  if (typeof error !== "object" || error === null) return undefined
  const { code, errcode } = error as Partial<Record<string, unknown>> // as: each may be there
  return [errcode, code].find((one) => typeof one === "string" || typeof one === "number")
}

const quoted = /'([^']*)'|"([^"]*)"|`([^`]*)`/g
const anyQuote = /['"`]/

/**
 * A message up to the first thing in quotes that is no name of the statement: the statement itself holds no value, and
 * messages quote values.
 */
function withoutValues(message: string, query: string): string {
  const [line = ""] = message.split("\n")
  const names = [...line.matchAll(quoted)].map(([, single, double, back]) => single ?? double ?? back ?? "")
  const isPlain = !anyQuote.test(line.replaceAll(quoted, "")) && names.every((name) => query.includes(name))
  return (isPlain ? line : `${line.slice(0, line.search(anyQuote))}…`).slice(0, longestText)
}
