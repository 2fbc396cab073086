// Imported as `@latchkey/kysely-adapter/migrations`.
export { UnknownSchema } from "./inspect.js"
export { type MadeMigration, type MigrateOptions, migrate, migrations } from "./migrate.js"
export { pendingSql, schemaSql } from "./migration-sql.js"
