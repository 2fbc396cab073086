// Imported as `@latchkey/kysely-adapter/migrations`.
export { type MadeMigration, type MigrateOptions, migrate, migrations } from "./migrate.js"
