/**
 * How many rows a statement has written, as drivers of MySQL say it: in the first of two results (`mysql2`) or in the
 * only one.
 * @throws Error when the driver does not say it: nobody could be told that it was they who removed a row
 */
export function countOf(result: unknown): number {
  const { affectedRows, rowsAffected } = headerOf(result)
  const count = affectedRows ?? rowsAffected
  if (typeof count !== "number") throw new Error("The driver does not say how many rows a statement has written")
  return count
}

/** @throws Error when the driver does not say which id the database has made */
export function madeIdOf(result: unknown): string {
  const { insertId } = headerOf(result)
  if (insertId === undefined || insertId === null) throw new Error("The driver does not say which id was made")
  return String(insertId)
}

function headerOf(result: unknown): Partial<Record<string, unknown>> {
  const header: unknown = Array.isArray(result) ? result[0] : result
  return typeof header === "object" && header !== null ? header : {}
}
