import { isPromiseLike } from "./promise.js"

/**
 * Returns a function that creates a value on its first call, and returns the same value from then on. A promise that is
 * rejected is created anew by the next call: an `import()` can fail for a moment, such as during a deployment.
 */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined
  return () => {
    if (created) return created.value
    const value = create()
    created = { value }
    if (isPromiseLike(value)) {
      value.then(undefined, () => {
        created = undefined
      })
    }
    return value
  }
}

/** A map that drops its oldest entry when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number

  constructor(capacity: number) {
    super()
    this.#capacity = capacity
  }

  override set(key: Key, value: Value): this {
    if (!this.has(key) && this.size >= this.#capacity) {
      for (const oldest of this.keys()) {
        this.delete(oldest)
        break
      }
    }
    return super.set(key, value)
  }
}
