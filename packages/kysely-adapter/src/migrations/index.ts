// Imported as `@latchkey/kysely-adapter/migrations`.
export { type MadeMigration, type MigrateOptions, migrate, migrations } from "./migrate.js"
export { pendingSql, schemaSql } from "./migration-sql.js"
export { UnknownSchema } from "./unknown-schema.js"
