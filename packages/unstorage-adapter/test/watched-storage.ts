import type { KeyValueStorage } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"

/** A call before it is made. */
export interface StorageCall {
  /** The number of the call, from 0. */
  readonly index: number
  readonly method: keyof KeyValueStorage
  readonly args: readonly unknown[]
  make(): Promise<unknown>
}

/** A storage that passes each call to a test first. */
export function watchedStorage(
  pass: (call: StorageCall) => Promise<unknown>,
  storage: KeyValueStorage = createStorage(),
): KeyValueStorage {
  const counter = { next: 0 }
  const watched =
    (method: keyof KeyValueStorage) =>
    async (...args: unknown[]) =>
      await pass({
        index: counter.next++,
        method,
        args,
        make: async () => await Reflect.apply(storage[method] ?? (() => undefined), storage, args),
      })
  return {
    getItem: watched("getItem"),
    setItem: watched("setItem"),
    removeItem: watched("removeItem"),
    getKeys: watched("getKeys") as KeyValueStorage["getKeys"], // as: it returns what the storage returns
  }
}
