// Imported as `@latchkey/unstorage-adapter`.
export type { KeyValueStorage, StoredItem } from "./items.js"
export { type KeyValueAdapter, UnstorageAdapter, type UnstorageAdapterOptions } from "./unstorage-adapter.js"
