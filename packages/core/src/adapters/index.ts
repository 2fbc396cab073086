// Imported as `@latchkey/core/adapters`. `export *`, so that hosts can extend these interfaces by module augmentation.
export * from "../types/adapter.js"
export * from "../types/adapter-features.js"
export type { Awaitable } from "../types/basics.js"
export { hashSessionTokens } from "./hashed-sessions.js"
