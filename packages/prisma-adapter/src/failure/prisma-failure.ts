/**
 * A query that Prisma did not do. The message has Prisma's code and what it says without values; Prisma's own error
 * carries the whole query, and with it tokens and addresses.
 */
export class PrismaFailure extends Error {
  override readonly name = "PrismaFailure"
  /** As Prisma has it, such as `P2002`, or as the driver has it. */
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
    super(`Prisma: ${message}`)
    this.code = code
  }
}

/** Longer texts tell nobody more. */
const longestText = 300

/**
 * Codes whose texts name tables, columns, constraints and servers, but no value; and those of drivers that found no
 * server.
 * @see https://www.prisma.io/docs/orm/reference/error-reference
 */
const plain = /^(?:P1\d{3}|P20(?:02|03|11|21|22|24|25|34)|E[A-Z]+)$/

/** What was asked of a model, such as `user.create`. */
export interface Operation {
  readonly name: string
  /** The fields of the model. */
  readonly fields: ReadonlyMap<string, unknown>
}

/** What went wrong, in words that may stand in a log. */
export function toPrismaFailure(error: unknown, { name, fields }: Operation): PrismaFailure {
  const code = codeOf(error)
  const parts = [textOf(error, code, fields), code === undefined ? "" : `(${code})`, `in ${name}`]
  return new PrismaFailure(parts.filter((part) => part !== "").join(" "), code)
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined
  const { code, errorCode, cause } = error as Partial<Record<string, unknown>> // as: each may be there
  const own = [code, errorCode].find((one) => typeof one === "string")
  return typeof own === "string" ? own : codeOf(cause)
}

/** The last line: above it Prisma shows the query and the code around it. */
function textOf(error: unknown, code: string | undefined, fields: ReadonlyMap<string, unknown>): string {
  if (!(error instanceof Error)) return "the client failed without an error"
  const line = error.message.trimEnd().split("\n").at(-1) ?? ""
  if (code !== undefined && plain.test(code)) return line.slice(0, longestText)
  const words = code === undefined ? withoutValues(line, fields) : ""
  return (words === "" ? error.name : `${error.name}: ${words}`).slice(0, longestText)
}

/** A line up to the first thing in quotes that is no name of a field: messages quote values. */
function withoutValues(line: string, fields: ReadonlyMap<string, unknown>): string {
  const pieces = line.split(/['"`]/)
  const isPlain = pieces.length % 2 === 1 && pieces.every((piece, index) => index % 2 === 0 || fields.has(piece))
  return (isPlain ? line : (pieces[0] ?? "")).trimEnd()
}
