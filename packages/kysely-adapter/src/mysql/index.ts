// Imported as `@latchkey/kysely-adapter/mysql`. For MySQL and MariaDB; needs `mysql2`.
export type { ConnectedAdapter } from "../connected-adapter.js"
export { DatabaseTimeout } from "../deadline.js"
export { type MysqlOptions, mysql } from "./mysql.js"
