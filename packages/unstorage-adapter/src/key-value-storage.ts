/** What the adapter calls of a storage of `unstorage`. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  /** `ttl` is in seconds. Drivers that know none ignore it. */
  setItem(key: string, value: StoredItem, options?: { readonly ttl?: number }): Promise<unknown>
  removeItem(key: string): Promise<unknown>
  getKeys(base: string): Promise<string[]>
}

/** What stands under a key: the fields of a record as texts, and what the adapter notes beside them. */
export interface StoredItem {
  /** Of the life of the user to whom it belongs. A user who is deleted and made again has another. */
  readonly born?: string
  /** Of the call that made it. */
  readonly by?: string
  /** Milliseconds: the longest that a session was ever meant to go on from a moment. */
  readonly lifetimeMs?: number
  readonly fields: Readonly<Record<string, string>>
}
