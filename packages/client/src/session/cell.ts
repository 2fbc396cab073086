/** A value that can be watched. */
export interface Cell<T> {
  get(): T
  set(value: T): void
  /** @returns what ends it */
  watch(listener: () => void): () => void
}

/** @param isSame values that are the same are no change, and the former one stays */
export function createCell<T>(first: T, isSame: (one: T, other: T) => boolean): Cell<T> {
  const listeners = new Set<() => void>()
  let current = first
  return {
    get: () => current,
    set: (value) => {
      if (isSame(current, value)) return
      current = value
      for (const listener of [...listeners]) listener()
    },
    watch: (listener) => {
      // The same function may be given twice, and each counts.
      const own = (): void => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
  }
}
