/** By these names the drivers say that a unique column has the value already. */
const codes: ReadonlySet<unknown> = new Set([
  "23505", // drivers of PostgreSQL
  "ER_DUP_ENTRY", // drivers of MySQL and MariaDB
  "SQLITE_CONSTRAINT_UNIQUE", // better-sqlite3, libsql
  "SQLITE_CONSTRAINT_PRIMARYKEY",
  2067, // node:sqlite: SQLITE_CONSTRAINT_UNIQUE, https://www.sqlite.org/rescode.html
  1555, // node:sqlite: SQLITE_CONSTRAINT_PRIMARYKEY
])

/**
 * Whether a database refused a row because a unique column has the value already: an email that a user has, an account
 * that is linked. Looks at the error and at what caused it, so that an `AdapterError` may be given as it is.
 */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false
  const { code, errcode, cause, err } = error as Partial<Record<string, unknown>> // as: each may be there
  return codes.has(code) || codes.has(errcode) || isUniqueViolation(cause) || isUniqueViolation(err)
}
