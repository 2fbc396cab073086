/** The claims of a token that was decrypted. Authentic, yet not checked beyond being a JSON object. */
export type Claims = Readonly<Record<string, unknown>>

/** Clocks of different machines may differ by so many seconds. */
const toleranceSeconds = 15
/** Far below what would exhaust the stack of code that walks the claims, such as `JSON.stringify`. */
const maxDepth = 500

/** Null unless the text is a JSON object of bounded depth. A member named `__proto__` is dropped wherever it stands. */
export function parseClaims(text: string): Claims | null {
  const value = parseJson(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  // Each level takes two characters at least: most tokens are too short to be too deep.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) return null
  // The cast is sound: every object has text keys, and its values are taken as unknown.
  return value as Claims
}

/** Whether the claims hold now. `exp` is mandatory; `nbf` and `iat` count when present. */
export function isCurrent(claims: Claims, nowSeconds: number): boolean {
  const { exp, nbf, iat } = claims
  if (!isInstant(exp) || exp <= nowSeconds - toleranceSeconds) return false
  if (nbf !== undefined && (!isInstant(nbf) || nbf > nowSeconds + toleranceSeconds)) return false
  return iat === undefined || isInstant(iat)
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value)
}

function parseJson(text: string): unknown {
  try {
    // A key may be written with escapes. A reviver costs much, so that only the texts that may need one get it.
    return text.includes("__proto__") || text.includes("\\u") ? JSON.parse(text, dropPrototype) : JSON.parse(text)
  } catch {
    // Not JSON is one of the ways of not being claims.
    return null
  }
}

function dropPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
