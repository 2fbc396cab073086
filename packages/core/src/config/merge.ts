type Plain = Record<PropertyKey, unknown>

/** Keys by which a merge could reach a prototype. */
const forbidden: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"])

/**
 * A new object: `over` laid on `base`, plain objects merged at every depth, everything else replaced. `undefined` keeps
 * what is below. Symbol keys count. Neither input is touched.
 */
export function merge<Base extends object>(base: Base, over: object | undefined): Base {
  const merged: Plain = Object.fromEntries(Reflect.ownKeys(base).map((key) => [key, Reflect.get(base, key)]))
  for (const key of over ? Reflect.ownKeys(over) : []) {
    const value: unknown = Reflect.get(over ?? {}, key)
    if (value === undefined || forbidden.has(key)) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? merge(below, value) : value
  }
  return merged as Base // Each key holds what `Base` or a partial of it holds there.
}

function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
