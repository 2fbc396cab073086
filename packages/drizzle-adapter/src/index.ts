// Imported as `@latchkey/drizzle-adapter`. Needs `drizzle-orm`.
export { DrizzleAdapter, type DrizzleAdapterOptions } from "./drizzle-adapter.js"
export type { DrizzleDatabase } from "./drizzle-database.js"
export { DatabaseFailure } from "./failure/database-failure.js"
export { isUniqueViolation } from "./failure/is-unique-violation.js"
export type { DrizzleTables } from "./tables/drizzle-tables.js"
