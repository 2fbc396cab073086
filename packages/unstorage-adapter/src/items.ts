/** The methods of an `unstorage` storage that the adapter uses. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  /** `ttl` is in seconds. Drivers without expiry ignore it. */
  setItem(key: string, value: StoredItem, options?: { readonly ttl?: number }): Promise<unknown>
  removeItem(key: string): Promise<unknown>
  getKeys(base: string): Promise<string[]>
  /** All drivers of the storage. */
  readonly getMounts?: (() => readonly { readonly driver: StorageDriver }[]) | undefined
}

/** What is read of a driver. */
export interface StorageDriver {
  readonly name?: string | undefined
  readonly getInstance?: (() => unknown) | undefined
}

/** The value of a key: the fields of a record as strings, and the adapter's own properties. */
export interface StoredItem {
  /** A random id of the owner's incarnation. A user who is deleted and created again gets another. */
  readonly born?: string
  /** A random id of the call that created the item. */
  readonly by?: string
  /** The longest time in milliseconds from a write of the session to the expiry that it set. */
  readonly lifetimeMs?: number
  readonly fields: Readonly<Record<string, string>>
}

/** The items of the storage by kind and digests, under the adapter's prefix. */
export interface Items {
  find(kind: ItemKind, ...digests: readonly string[]): Promise<StoredItem | null>
  /** After `expires`, the store may delete the item. */
  put(key: ItemKey, item: StoredItem, expires?: Date): Promise<void>
  remove(kind: ItemKind, ...digests: readonly string[]): Promise<void>
  /** The last digest of each key that begins with these parts. */
  list(kind: ItemKind, ...digests: readonly string[]): Promise<readonly string[]>
}

type ItemKey = readonly [kind: ItemKind, ...digests: string[]]

/**
 * The kinds are part of the stored layout. `user` marks that a user exists, and `profile` holds their fields;
 * `credential` and `use` split a passkey in the same way. So an update never restores what was deleted at the same
 * time. `ended` marks that a session was deleted, even if another call extends it. The `owned-` kinds list records by
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
  | "temporary"
  | "credential"
  | "use"
  | "owned-account"
  | "owned-session"
  | "owned-credential"

const separator = ":"

/** @throws TypeError for a prefix that storages would change */
export function createItems(storage: KeyValueStorage, prefix: string): Items {
  if (!/^[\w-]+(:[\w-]+)*$/.test(prefix)) {
    throw new TypeError("UnstorageAdapter: prefix must contain only letters, digits, `_` and `-`, separated by `:`")
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

/** @throws TypeError for a value that this adapter did not write */
function toItem(value: unknown): StoredItem | null {
  if (value === null || value === undefined) return null
  const fields: unknown = typeof value === "object" ? Reflect.get(value, "fields") : undefined
  if (typeof fields !== "object" || fields === null) throw new TypeError("The storage returned an invalid item")
  return value as StoredItem // as: a value with fields under these keys was written as an item
}

/** At least one second: some drivers read zero as no expiry. */
function toTtlSeconds(expires: Date): number {
  return Math.max(1, Math.ceil((toMs(expires) - Date.now()) / 1000))
}

/** Longer messages quote their input. */
const maxMessageLength = 200

/**
 * Calls the storage.
 * @throws Error that is safe to log; the driver's own may contain the stored values, and with them tokens and emails
 */
async function withStorage<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new Error(`Storage: ${describe(error)}`)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the driver failed without an error"
  const [line = ""] = error.message.split("\n")
  const [text = ""] = line.split(/,? with args beginning with/)
  return (text || error.name).slice(0, maxMessageLength)
}

/**
 * The digest that stands for a value in a key: SHA-256 as 64 hexadecimal characters, which every driver keeps
 * unchanged. JSON distinguishes types, the borders between parts, and lone surrogates.
 */
export async function digestOf(...parts: readonly unknown[]): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

// Separates the names from those that JSON parsers treat specially.
const fieldMark = "."
const dateMark = "@"

/**
 * Converts the fields of a record to strings: JSON, or `@` and an ISO date, so that every type can be restored.
 * Undefined fields are left out.
 * @throws TypeError for a value that neither format supports
 */
export function toStored(record: object): StoredItem["fields"] {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields.map(([name, value]) => [fieldMark + name, toText(name, value)]))
}

function toText(name: string, value: unknown): string {
  if (isDate(value)) return dateMark + new Date(toMs(value, name)).toISOString()
  const isUnsupported = ["function", "symbol", "bigint"].includes(typeof value)
  if (isUnsupported || (typeof value === "number" && !Number.isFinite(value))) {
    throw new TypeError(`${name} must be a value that JSON supports`)
  }
  return JSON.stringify(value)
}

/** Whether the value is a date of any realm, such as the `vm` context of a test runner. */
function isDate(value: unknown): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === "[object Date]"
}

/**
 * Milliseconds since 1970-01-01T00:00:00Z.
 * @throws TypeError if the date is invalid
 */
export function toMs(date: Date, name = "expires"): number {
  const ms = date.valueOf()
  if (Number.isNaN(ms)) throw new TypeError(`${name} must be a valid date`)
  return ms
}

/** The record of an item that `toStored` made from one of this type. */
export function fromStored<T extends object>({ fields }: StoredItem): T {
  const entries = Object.entries(fields).map(([name, text]) => [name.slice(fieldMark.length), fromText(text)])
  return Object.fromEntries(entries) as T // as: the value of a key was written as such a record
}

function fromText(text: string): unknown {
  return text.startsWith(dateMark) ? new Date(text.slice(dateMark.length)) : JSON.parse(text)
}

/** One field of a record; undefined if it is missing. */
export function readField({ fields }: StoredItem, name: string): unknown {
  const text = fields[fieldMark + name]
  return text === undefined ? undefined : fromText(text)
}
