// Imported as `@latchkey/core/adapters`. `export *`, so that hosts can extend these interfaces by module augmentation.
export * from "../contract/adapter.js"
export type { Awaitable } from "../contract/awaitable.js"
