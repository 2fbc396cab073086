import type { KeyValueStorage, StoredItem } from "./key-value-storage.js"
import { withStorage } from "./storage-failure.js"

/** Items by kind and digests, under the adapter's prefix. */
export interface Items {
  find(kind: ItemKind, ...digests: readonly string[]): Promise<StoredItem | null>
  /** With an expiry the store may forget the item from then on. */
  put(key: ItemKey, item: StoredItem, expires?: Date): Promise<void>
  remove(kind: ItemKind, ...digests: readonly string[]): Promise<void>
  /** The last digests of all items whose key begins in this way. */
  list(kind: ItemKind, ...digests: readonly string[]): Promise<readonly string[]>
}

export type ItemKey = readonly [kind: ItemKind, ...digests: string[]]

/**
 * `user` says that somebody is there, `profile` what they are; `credential` and `use` are alike. So changing never brings back
 * what was removed meanwhile. `ended` says that a session is not there, whoever extends it. The `owned-` ones list by
 * user.
 */
export type ItemKind =
  | "user"
  | "profile"
  | "email"
  | "proven"
  | "account"
  | "session"
  | "ended"
  | "token"
  | "credential"
  | "use"
  | "owned-account"
  | "owned-session"
  | "owned-credential"

const separator = ":"

/** @throws TypeError for a prefix that storages would change */
export function createItems(storage: KeyValueStorage, prefix: string): Items {
  if (!/^[\w-]+(:[\w-]+)*$/.test(prefix)) {
    throw new TypeError("UnstorageAdapter: prefix must be made of letters, digits, `_` and `-`, with `:` between them")
  }
  const keyOf = (...parts: readonly string[]) => [prefix, ...parts].join(separator)
  return {
    find: async (...parts) => toItem(await withStorage(() => storage.getItem(keyOf(...parts)))),
    async put(parts, item, expires) {
      const options = expires && { ttl: toTtlSeconds(expires) }
      await withStorage(() => storage.setItem(keyOf(...parts), item, options))
    },
    async remove(...parts) {
      await withStorage(() => storage.removeItem(keyOf(...parts)))
    },
    async list(...parts) {
      const keys = await withStorage(() => storage.getKeys(keyOf(...parts)))
      return keys.map((key) => key.slice(key.lastIndexOf(separator) + 1))
    },
  }
}

/** @throws TypeError for what this adapter did not write */
function toItem(value: unknown): StoredItem | null {
  if (value === null || value === undefined) return null
  const fields: unknown = typeof value === "object" ? Reflect.get(value, "fields") : undefined
  if (typeof fields !== "object" || fields === null) throw new TypeError("An item of the storage is no record")
  return value as StoredItem // as: whatever has fields under these keys was put there as an item
}

/** At least a second: some drivers take none for no limit at all. */
function toTtlSeconds(expires: Date): number {
  const seconds = Math.ceil((toMs(expires) - Date.now()) / 1000)
  return Math.max(1, seconds)
}

/** @throws TypeError for what is no date */
export function toMs(instant: Date): number {
  const ms = instant.valueOf()
  if (Number.isNaN(ms)) throw new TypeError("expires holds no date")
  return ms
}
