import type { KeyValueStorage } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"

/** One call as it is about to be made. */
export interface StorageCall {
  /** Counted from the first call, which is 0. */
  readonly index: number
  readonly method: keyof KeyValueStorage
  readonly args: readonly unknown[]
  make(): Promise<unknown>
}

/** A storage whose every call goes by a test first. */
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
        make: async () => await Reflect.apply(storage[method], storage, args),
      })
  return {
    getItem: watched("getItem"),
    setItem: watched("setItem"),
    removeItem: watched("removeItem"),
    getKeys: watched("getKeys") as KeyValueStorage["getKeys"], // as: what passes it is what the storage gives
  }
}
