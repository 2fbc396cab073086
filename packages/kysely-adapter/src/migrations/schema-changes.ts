import { createTables } from "./create-tables.js"
import type { SchemaChange } from "./schema-change.js"

/** The schema's history in order of the names. A name that was published is never changed, and neither is its content. */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
  "0001_create_tables": createTables,
}

/** Where the names of the changes that were made are kept, in the form of Kysely's `Migrator`. */
export const migrationTable = "latchkey_migration"
export const migrationLockTable = "latchkey_migration_lock"
