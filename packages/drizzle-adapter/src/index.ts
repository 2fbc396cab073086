// Imported as `@latchkey/drizzle-adapter`. Needs `drizzle-orm`.
export { isUniqueViolation } from "@latchkey/adapter-kit"
export { DatabaseFailure } from "./database-failure.js"
export { DrizzleAdapter, type DrizzleAdapterOptions } from "./drizzle-adapter.js"
export type { DrizzleDatabase } from "./drizzle-database.js"
export type { DrizzleTables } from "./record-tables.js"
