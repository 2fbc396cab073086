/** Prisma's code for a unique constraint that failed. */
const uniqueViolation = "P2002"

/**
 * Whether a database refused a row because a unique field has the value already: an email that a user has, an account
 * that is linked. Looks at the error and at what caused it, so that an `AdapterError` may be given as it is.
 */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false
  const { code, cause, err } = error as Partial<Record<string, unknown>> // as: each may be there
  return code === uniqueViolation || isUniqueViolation(cause) || isUniqueViolation(err)
}
