import { isRecord } from "./json.js"
import { isPlain } from "./merge.js"

/**
 * A copy of the value's fields. The fields of an instance are those that its `toJSON` method returns, else its own, and
 * always the given names. Other getters are not read: some have side effects, such as a query.
 */
export function copyFields<Value extends object>(value: Value, names: readonly (keyof Value & string)[]): Value {
  if (isPlain(value)) return { ...value }
  const toJSON: unknown = Reflect.get(value, "toJSON")
  const shown: unknown = typeof toJSON === "function" ? Reflect.apply(toJSON, value, []) : value
  const named = names.map((name) => [name, value[name]]).filter(([, field]) => field !== undefined)
  return { ...(isRecord(shown) ? shown : value), ...Object.fromEntries(named) }
}

const ownField = { writable: true, enumerable: true, configurable: true } as const

/**
 * A copy of the value with other values of some fields. For an instance of a class it is a proxy, which keeps the class,
 * the getters and the methods; the instance itself does not change.
 */
export function withFields<Value extends object>(value: Value, fields: Partial<Value>): Value {
  if (isPlain(value)) return { ...value, ...fields }
  const changed = Object.keys(fields) as (keyof Value)[] // as: `keys` returns text for any type.
  if (changed.every((name) => value[name] === fields[name])) return value
  // Names the fields for the spread operator. Has the class, for `instanceof`.
  const own: Value = Object.setPrototypeOf({ ...value, ...fields }, Object.getPrototypeOf(value))
  return new Proxy(own, {
    // Getters, setters and methods run on the instance itself, because they may use private fields.
    get(_, name) {
      const member: unknown = Reflect.get(Object.hasOwn(fields, name) ? own : value, name)
      return typeof member === "function" && name !== "constructor" ? member.bind(value) : member
    },
    set(_, name, member) {
      const isReplaced = Object.hasOwn(fields, name)
      if (!isReplaced && !Reflect.set(value, name, member)) return false
      const isField = isReplaced || Object.hasOwn(value, name)
      return isField ? Reflect.defineProperty(own, name, { value: member, ...ownField }) : true
    },
  })
}
