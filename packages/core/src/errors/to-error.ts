/** JavaScript can throw anything. What is not an error becomes one, without its text, which may hold a secret. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`A value of type ${typeof thrown} was thrown`)
}
