// Imported as `@latchkey/kysely-adapter/postgres`. Needs `pg`.
export type { ConnectedAdapter } from "../connected-adapter.js"
export { DatabaseTimeout } from "../deadline.js"
export { type PostgresOptions, postgres } from "./postgres.js"
