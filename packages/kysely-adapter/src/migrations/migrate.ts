import { type Kysely, sql } from "kysely"
import { type Migration, type MigrationResultSet, Migrator, type MigratorProps, NO_MIGRATIONS } from "kysely/migration"
import type { KyselyAdapterOptions } from "../kysely-adapter.js"
import { type AnyKysely, type AnyTables, overAnyTables } from "../sql/any-kysely.js"
import { resolveDialect } from "../sql/dialect.js"
import { resolveSchema } from "../tables/schema.js"
import type { SchemaChange } from "./schema-change.js"
import { migrationLockTable, migrationTable, schemaChanges } from "./schema-changes.js"

/** The adapter's own options, and how far to go. */
export interface MigrateOptions extends KyselyAdapterOptions {
  /**
   * The name of the migration to go to, up or down. `"none"` takes all back and so **drops the tables with all they
   * hold**. Default: the newest.
   */
  readonly to?: string
}

/** One step that was made. */
export interface MadeMigration {
  readonly name: string
  readonly direction: "up" | "down"
}

/**
 * Brings the tables to this version's schema, in the order of the migrations' names. Safe when several processes do it
 * at once: one does, the others wait and find nothing to do. What was made is kept in the table `latchkey_migration`.
 * @returns What was made; empty when there was nothing to do.
 * @throws What the database or Kysely said, when a migration fails; it is rolled back where the database can do that.
 */
export async function migrate(db: AnyKysely, options: MigrateOptions = {}): Promise<readonly MadeMigration[]> {
  const provider = { getMigrations: async () => migrations(db, options) }
  const lock = resolveDialect(db, options.database).kind === "sqlite" && !db.isTransaction ? locked : unlocked
  const { results = [], error } = await lock(overAnyTables(db), async (instance, props) => {
    const migrator = new Migrator({
      ...props,
      db: instance,
      provider,
      migrationTableName: migrationTable,
      migrationLockTableName: migrationLockTable,
    })
    if (options.to === undefined) return await migrator.migrateToLatest()
    return await migrator.migrateTo(options.to === "none" ? NO_MIGRATIONS : options.to)
  })
  if (error !== undefined) throw error
  return results.map((result) => ({ name: result.migrationName, direction: result.direction === "Up" ? "up" : "down" }))
}

/**
 * The migrations by name, for a host that runs them with its own `Migrator`, among its own.
 * @throws TypeError when an option cannot work, or the dialect is not recognised.
 */
export function migrations(db: AnyKysely, options: KyselyAdapterOptions = {}): Record<string, Migration> {
  const schema = resolveSchema(options)
  const dialect = resolveDialect(db, options.database)
  const run = async (runner: Kysely<AnyTables>, step: SchemaChange["up"]): Promise<void> => {
    for (const statement of step({ schema, dialect, db: runner })) await runner.executeQuery(statement.compile())
  }
  return Object.fromEntries(
    Object.entries(schemaChanges).map(([name, change]) => [
      name,
      { up: (runner) => run(runner, change.up), down: (runner) => run(runner, change.down) } satisfies Migration,
    ]),
  )
}

type Run = (db: Kysely<AnyTables>, props: Pick<MigratorProps, "disableTransactions">) => Promise<MigrationResultSet>

/** For databases that Kysely locks itself, and within a transaction of the host. */
async function unlocked(db: Kysely<AnyTables>, run: Run): Promise<MigrationResultSet> {
  return await run(db, {})
}

/**
 * For SQLite, where a transaction of Kysely's begins with a read; when two processes come at once, the second could not
 * write any more. So the write lock is taken before anything is read.
 */
async function locked(db: Kysely<AnyTables>, run: Run): Promise<MigrationResultSet> {
  return await db.connection().execute(async (connection) => {
    let ending = "rollback"
    await sql`begin immediate`.execute(connection)
    try {
      const outcome = await run(connection, { disableTransactions: true })
      if (outcome.error === undefined) ending = "commit"
      return outcome
    } finally {
      await sql.raw(ending).execute(connection)
    }
  })
}
