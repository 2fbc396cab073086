import type { Awaitable } from "../types/basics.js"

/**
 * Returns a function that creates a value, and returns the same value once it is there. A creation that fails is tried
 * again by the next call: an `import()` can fail for a moment, such as during a deployment.
 *
 * Keeps the value, never the promise: a worker's platform ends the work of a request when its visitor leaves, and a
 * promise of that request would then stay pending for all others. Calls before the first value each create one, and all
 * get the one that was there first.
 */
export function lazy<T>(create: () => Promise<T>): () => Awaitable<T> {
  let kept: { readonly value: T } | undefined
  const keep = (value: T): T => {
    kept ??= { value }
    return kept.value
  }
  return () => (kept ? kept.value : create().then(keep))
}

/**
 * Returns a function that returns the same value in all copies of this package in a process. Bundlers such as Next's load one for
 * pages and another for routes, and each would forget what the other remembers. All code of the process can reach the value, so
 * it shows nothing of what it keeps.
 * @param layout Raised by each change of the methods, of what they take and return, or of the keys. A copy of another version
 *   shares the value only if both agree on it.
 */
export function onePerProcess<T extends object>(name: string, layout: number, create: () => T): () => T {
  let kept: T | undefined
  return () => {
    kept ??= findInProcess(Symbol.for(`latchkey.memory.${name}.${layout}`), create)
    return kept
  }
}

/** Marks that are remembered until others take their place. */
export interface LocalMarks {
  has(id: string): boolean
  add(id: string): void
  delete(id: string): void
}

/** Marks that all copies of this package in a process share, at most 1000 for each name. See {@link onePerProcess}. */
export function marksPerProcess(name: string): () => LocalMarks {
  return onePerProcess(name, 1, () => {
    const kept = new BoundedMap<string, true>(1000)
    return {
      has: (id) => kept.has(id),
      add: (id) => void kept.set(id, true),
      delete: (id) => void kept.delete(id),
    }
  })
}

function findInProcess<T extends object>(key: symbol, create: () => T): T {
  const known: unknown = Reflect.get(globalThis, key)
  if (known !== undefined) return known as T // as: nothing else has this key.
  const value = create()
  // Where globals cannot be changed, each copy has its own.
  Reflect.defineProperty(globalThis, key, { value, configurable: true })
  return value
}

/** A value for each object, as long as the object lives. */
export interface ObjectCache<Value> {
  get(object: object): Value | undefined
  set(object: object, value: Value): void
}

/**
 * Like a `WeakMap`, for objects that may live for one request only. V8 collects new objects often, and takes the values of
 * a `WeakMap` for used then: it copies all that they refer to, and keeps it until the next full collection. Here the object
 * itself has the value, in a private field, which other code cannot see.
 */
export function createObjectCache<Value>(): ObjectCache<Value> {
  // For frozen objects, to which a later edition of the language may refuse to add private fields. Few apps freeze one for each request.
  const frozen = new WeakMap<object, Value>()
  return class Owner extends Existing {
    #value: Value | undefined
    static get(object: object): Value | undefined {
      return #value in object ? object.#value : frozen.get(object)
    }
    static set(object: object, value: Value): void {
      if (#value in object) object.#value = value
      else if (Object.isExtensible(object)) new Owner(object).#value = value
      else frozen.set(object, value)
    }
  }
}

/** `new` returns the given object. A subclass adds its private fields to it. */
// biome-ignore lint/complexity/useArrowFunction: arrow functions cannot be called with `new`.
const Existing = function (object: object): object {
  return object
} as unknown as new (
  object: object,
) => object // as: the compiler has no type for such a function.

/** A map that drops its oldest entry when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number

  constructor(capacity: number) {
    super()
    this.#capacity = capacity
  }

  override set(key: Key, value: Value): this {
    // as: a full map has an oldest key.
    if (!this.has(key) && this.size >= this.#capacity) this.delete(this.keys().next().value as Key)
    return super.set(key, value)
  }
}
