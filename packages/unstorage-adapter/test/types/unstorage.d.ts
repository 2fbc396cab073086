// Replaces the library's own types, which refer to every driver's client and do not compile without all of them.

type StorageValue = null | string | number | boolean | object
// biome-ignore lint/suspicious/noExplicitAny: as in the library
type TransactionOptions = Record<string, any>

export interface Driver {
  name?: string
  getInstance?: () => unknown
}

/** The methods that the tests use, with the library's own signatures. */
export interface Storage<T extends StorageValue = StorageValue> {
  getItem<R = T>(key: string, options?: TransactionOptions): Promise<R | null>
  setItem<U extends T>(key: string, value: U, options?: TransactionOptions): Promise<void>
  removeItem(key: string, options?: (TransactionOptions & { removeMeta?: boolean }) | boolean): Promise<void>
  getMounts(): { driver: Driver }[]
  mount: (base: string, driver: Driver) => Storage
  getKeys: (base?: string, options?: TransactionOptions) => Promise<string[]>
  dispose: () => Promise<void>
}

export declare function createStorage(options?: { driver?: Driver }): Storage
export declare function prefixStorage(storage: Storage, base: string): Storage
