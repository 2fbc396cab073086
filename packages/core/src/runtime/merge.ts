type Plain = Record<PropertyKey, unknown>

/** Keys by which a merge could reach a prototype. */
const forbidden: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"])

/**
 * A new object: `over` laid on `under`, plain objects merged at every depth, everything else replaced. `undefined`
 * keeps what is below. Symbol keys count. Neither input is touched.
 */
export function merge<Under extends object>(under: Under, over: object | undefined): Under {
  const merged: Plain = Object.fromEntries(Reflect.ownKeys(under).map((key) => [key, Reflect.get(under, key)]))
  for (const key of over ? Reflect.ownKeys(over) : []) {
    const value: unknown = Reflect.get(over ?? {}, key)
    if (value === undefined || forbidden.has(key)) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? merge(below, value) : value
  }
  return merged as Under // Each key holds what `Under` or a partial of it holds there.
}

function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
