import { createCaller, hasErrorCode } from "@latchkey/adapter-kit"

/**
 * A query that failed. The message contains Prisma's code and message without values: Prisma's own error contains the
 * whole query, tokens and email addresses included.
 */
export class PrismaFailure extends Error {
  override readonly name = "PrismaFailure"
  /** Prisma's code, such as `P2002`, or the driver's. */
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
    super(`Prisma: ${message}`)
    this.code = code
  }
}

/** Prisma's code for a violated unique constraint. */
const uniqueViolations: ReadonlySet<unknown> = new Set(["P2002"])

/** Prisma's code for a write that lost a conflict and changed nothing. */
const conflicts: ReadonlySet<unknown> = new Set(["P2034"])

/**
 * Reports whether a database rejected a row because a unique field already contains the value: an email that another
 * user has, an account that is already linked. Also checks the error's causes, so you can pass an `AdapterError`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return hasErrorCode(error, uniqueViolations)
}

/** Prisma's code for a table that does not exist. */
const missingTables: ReadonlySet<unknown> = new Set(["P2021"])

/** The same, and for a column that does not exist. */
const notMigrated: ReadonlySet<unknown> = new Set([...missingTables, "P2022"])
const migrateAdvice = "The database was not migrated: run `npx --no prisma migrate deploy` before the app starts"

/** Reports whether a query failed because the database was not migrated yet. */
export function isMissingTable(error: unknown): boolean {
  return hasErrorCode(error, missingTables)
}

/** A query on a model, or a transaction. */
export interface Operation {
  /** The model and the method, such as `user.create`, or `$transaction`. */
  readonly name: string
  /** Whether the model has a field of this name. */
  hasField(name: string): boolean
}

/** Runs a Prisma query, which starts each time it is awaited. */
export type RunQuery = <T>(operation: Operation, query: () => PromiseLike<T>) => Promise<T>

interface RunnerOptions {
  readonly timeoutMilliseconds: number
  readonly isTransaction: boolean
}

/** Runs queries with a deadline, retries conflicts, and turns errors into a `PrismaFailure`. */
export function createRunner(options: RunnerOptions): RunQuery {
  const toFailure = (message: string, code: string) => new PrismaFailure(message, code)
  const call = createCaller({ ...options, conflictCodes: conflicts, toFailure })
  return (operation, query) =>
    call(async () => {
      try {
        return await query()
      } catch (error) {
        throw toPrismaFailure(error, operation)
      }
    })
}

const maxTextLength = 300

/**
 * The codes whose messages name tables, columns, constraints and servers, but no values; and the codes of drivers that
 * cannot reach a server.
 * @see https://www.prisma.io/docs/orm/reference/error-reference
 */
const plain = /^(?:P1\d{3}|P20(?:02|03|11|21|22|24|25|28|34)|E[A-Z]+)$/

/**
 * Converts Prisma's error into one that is safe to log.
 * @internal Exported for its test.
 */
export function toPrismaFailure(error: unknown, { name, hasField }: Operation): PrismaFailure {
  const code = findCode(error)
  const parts = [describe(error, code, hasField), code === undefined ? "" : `(${code})`, `in ${name}`]
  const advice = notMigrated.has(code) ? `. ${migrateAdvice}` : ""
  return new PrismaFailure(parts.filter((part) => part !== "").join(" ") + advice, code)
}

function findCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined
  const { code, errorCode, cause } = error as Partial<Record<string, unknown>> // as: each may be there
  const own = [code, errorCode].find((one) => typeof one === "string")
  return typeof own === "string" ? own : findCode(cause)
}

/** The last line of the message: the lines above it show the query and the code around it. */
function describe(error: unknown, code: string | undefined, hasField: Operation["hasField"]): string {
  if (!(error instanceof Error)) return "the client failed without an error"
  const line = error.message.trimEnd().split("\n").at(-1) ?? ""
  if (code !== undefined && plain.test(code)) return line.slice(0, maxTextLength)
  const text = code === undefined ? withoutValues(line, hasField) : ""
  return (text === "" ? error.name : `${error.name}: ${text}`).slice(0, maxTextLength)
}

/** A line up to the first quoted text that is not a field's name: messages quote values. */
function withoutValues(line: string, hasField: Operation["hasField"]): string {
  const pieces = line.split(/['"`]/)
  const isPlain = pieces.length % 2 === 1 && pieces.every((piece, index) => index % 2 === 0 || hasField(piece))
  return (isPlain ? line : (pieces[0] ?? "")).trimEnd()
}
