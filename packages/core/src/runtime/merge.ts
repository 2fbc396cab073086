type Plain = Record<PropertyKey, unknown>

/** Keys by which a merge could reach a prototype. */
const forbidden: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"])

/**
 * Returns a new object with the members of `over` merged into those of `under`. Plain objects are merged recursively,
 * other values replaced; `undefined` keeps the value of `under`. Symbol keys are included; keys by which a later merge
 * could reach a prototype are left out at every depth.
 */
export function merge<Under extends object>(under: Under, over: object | undefined): Under {
  const merged: Plain = Object.fromEntries(listMembers(under))
  for (const key of over ? Reflect.ownKeys(over) : []) {
    const value: unknown = Reflect.get(over ?? {}, key)
    if (value === undefined || forbidden.has(key)) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? merge(below, value) : dropPrototypes(value)
  }
  return merged as Under // Each member has the type it has in `Under` or in a partial of it.
}

function listMembers(value: object): readonly (readonly [PropertyKey, unknown])[] {
  const keys = Reflect.ownKeys(value).filter((key) => !forbidden.has(key))
  return keys.map((key) => [key, dropPrototypes(Reflect.get(value, key))])
}

/**
 * The value, or a copy without the keys by which a merge could reach a prototype if it has one at any depth. Objects of a
 * class are returned as they are: they come from code, not from JSON.
 */
export function dropPrototypes<Value>(value: Value): Value {
  if (!hasForbidden(value, new Set())) return value
  const copy: unknown = Array.isArray(value) ? value.map(dropPrototypes) : merge(Object(value), undefined)
  return copy as Value // It lacks members that no type declares.
}

function hasForbidden(value: unknown, seen: Set<unknown>): boolean {
  if (!(isPlain(value) || Array.isArray(value)) || seen.has(value)) return false
  seen.add(value)
  return Reflect.ownKeys(value).some((key) => forbidden.has(key) || hasForbidden(Reflect.get(value, key), seen))
}

function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
