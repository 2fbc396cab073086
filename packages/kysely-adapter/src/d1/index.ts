// Imported as `@latchkey/kysely-adapter/d1`.
export { type D1Adapter, type D1Database, type D1PreparedStatement, type D1Result, d1 } from "./d1.js"
