import type { Schema } from "../tables/schema.js"
import { addPasskeys } from "./add-passkeys.js"
import { addProvenEmails } from "./add-proven-emails.js"
import { createTables } from "./create-tables.js"
import type { SchemaChange } from "./schema-change.js"

/**
 * The schema's history in order of the names. A name that was published is never changed, and neither is its content.
 */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
  "0001_create_tables": createTables,
  "0002_passkeys": addPasskeys,
  "0003_proven_emails": addProvenEmails,
}

/** The tables in which it is kept what was made, in the form of Kysely's `Migrator`. */
export interface Books {
  readonly made: string
  readonly lock: string
}

/** Tables of different prefixes are migrated apart. */
export function booksOf({ prefix }: Schema): Books {
  return { made: `${prefix}latchkey_migration`, lock: `${prefix}latchkey_migration_lock` }
}
