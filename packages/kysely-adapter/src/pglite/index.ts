// Imported as `@latchkey/kysely-adapter/pglite`. For instances of `@electric-sql/pglite`.
export type { ConnectedAdapter } from "../connected-adapter.js"
export { pglite } from "./pglite.js"
