type Plain = Record<PropertyKey, unknown>

/** Keys by which a merge could reach a prototype. */
const forbidden: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"])

/**
 * Returns a new object with the members of `over` merged into those of `under`. Plain objects are merged recursively,
 * other values replaced; `undefined` keeps the value of `under`. Symbol keys are included.
 */
export function merge<Under extends object>(under: Under, over: object | undefined): Under {
  const merged: Plain = Object.fromEntries(Reflect.ownKeys(under).map((key) => [key, Reflect.get(under, key)]))
  for (const key of over ? Reflect.ownKeys(over) : []) {
    const value: unknown = Reflect.get(over ?? {}, key)
    if (value === undefined || forbidden.has(key)) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? merge(below, value) : value
  }
  return merged as Under // Each member has the type it has in `Under` or in a partial of it.
}

function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
