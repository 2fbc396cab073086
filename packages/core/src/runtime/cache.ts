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
