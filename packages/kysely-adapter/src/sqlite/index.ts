// Imported as `@latchkey/kysely-adapter/sqlite`. Needs Node, or a runtime that has `node:sqlite`.
export { nodeSqliteDialect } from "./node-sqlite.js"
export { type SqliteAdapter, type SqliteOptions, sqlite } from "./sqlite.js"
