import { type Kysely, sql } from "kysely"
import { type Migration, type MigrationResultSet, Migrator, type MigratorProps, NO_MIGRATIONS } from "kysely/migration"
import type { KyselyAdapterOptions } from "../kysely-adapter.js"
import { type AnyKysely, type AnyTables, overAnyTables } from "../sql/any-kysely.js"
import { resolveDialect } from "../sql/resolve-dialect.js"
import { getColumn } from "../tables/column.js"
import { resolveSchema } from "../tables/schema.js"
import { findIdType } from "./find-columns.js"
import { findMade, findTables, type Select } from "./find-schema.js"
import type { MigrationTarget, SchemaChange } from "./schema-change.js"
import { booksOf, schemaChanges } from "./schema-changes.js"
import { assertKnownChanges, assertKnownTables } from "./unknown-schema.js"

/** The adapter's own options, and how far to go. */
export interface MigrateOptions extends KyselyAdapterOptions {
  /**
   * The name of the migration to go to, up or down. `"previous"` takes the last one back, `"none"` all of them, and so
   * **drops the tables with all they hold**. Default: the newest.
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
 * @throws UnknownSchema when a newer version has migrated the database, or it holds other tables of the same names
 * @throws What the database or Kysely said, when a migration fails; it is rolled back where the database can do that.
 */
export async function migrate(db: AnyKysely, options: MigrateOptions = {}): Promise<readonly MadeMigration[]> {
  const target = toTarget(db, options)
  const to = resolveGoal(await findKnown(target, options.to), options.to)
  const provider = { getMigrations: async () => migrations(db, options) }
  const lock = target.dialect.kind === "sqlite" && !db.isTransaction ? locked : unlocked
  const { made, lock: migrationLockTableName } = booksOf(target.schema)
  const place = await findPlace(target)
  const { results = [], error } = await lock(target.db, async (instance, props) => {
    const migrator = new Migrator({
      ...props,
      ...place,
      db: instance,
      provider,
      migrationTableName: made,
      migrationLockTableName,
    })
    if (to === undefined) return await migrator.migrateToLatest()
    return await migrator.migrateTo(to === "none" ? NO_MIGRATIONS : to)
  })
  if (error !== undefined) throw error
  return results.map((result) => ({ name: result.migrationName, direction: result.direction === "Up" ? "up" : "down" }))
}

/**
 * Where the books are in PostgreSQL: the first schema of the search path. Kysely's `Migrator` would take those of any
 * other schema for them.
 */
async function findPlace({ db, dialect }: MigrationTarget): Promise<Pick<MigratorProps, "migrationTableSchema">> {
  if (dialect.kind !== "postgres") return {}
  const [name] = await selectBy(db)(sql`select current_schema() as name where current_schema() is not null`.compile(db))
  return name === undefined ? {} : { migrationTableSchema: name }
}

/**
 * The migrations by name, for a host that runs them with its own `Migrator`, among its own.
 * @throws TypeError when an option cannot work, or the dialect is not recognised.
 */
export function migrations(db: AnyKysely, options: KyselyAdapterOptions = {}): Record<string, Migration> {
  const target = toTarget(db, options)
  const run = async (runner: Kysely<AnyTables>, step: SchemaChange["up"]): Promise<void> => {
    const statements = step(await withUserIdType({ ...target, db: runner }))
    for (const statement of statements) await runner.executeQuery(statement.compile())
  }
  return Object.fromEntries(
    Object.entries(schemaChanges).map(([name, change]) => [
      name,
      { up: (runner) => run(runner, change.up), down: (runner) => run(runner, change.down) } satisfies Migration,
    ]),
  )
}

export function toTarget(db: AnyKysely, options: KyselyAdapterOptions): MigrationTarget {
  return { schema: resolveSchema(options), dialect: resolveDialect(db, options.database), db: overAnyTables(db) }
}

/** The target, with what is to be known of the users' table before anything refers to it. */
export async function withUserIdType(target: MigrationTarget): Promise<MigrationTarget> {
  if (target.dialect.repeating === "skip") return target
  const { user } = target.schema
  const [userIdType] = await selectBy(target.db)(findIdType(user.name, getColumn(user, "id").name).compile(target.db))
  return { ...target, userIdType }
}

/**
 * The names of the changes that were made. What a plugin of the host names anew cannot be looked for under its own
 * name, and what is taken back need not be known.
 * @throws UnknownSchema when the database holds what this version does not know
 */
export async function findKnown(target: MigrationTarget, to: string | undefined): Promise<readonly string[]> {
  const select = selectBy(target.db)
  const made = await findMade(target, select)
  assertKnownChanges(made)
  if (to !== "none" && to !== "previous" && target.db.getExecutor().plugins.length === 0) {
    assertKnownTables({ made, tables: await findTables(target, select) }, target.schema)
  }
  return made
}

/** The name of the migration to go to; `none` for the state before the first. */
export function resolveGoal(made: readonly string[], to: string | undefined): string | undefined {
  return to === "previous" ? (made.toSorted().at(-2) ?? "none") : to
}

function selectBy(db: Kysely<AnyTables>): Select {
  return async (query) => (await db.executeQuery<{ readonly name: string }>(query)).rows.map(({ name }) => String(name))
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
