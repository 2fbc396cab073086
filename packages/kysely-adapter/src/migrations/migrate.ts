import { type Kysely, sql } from "kysely"
import { type Migration, type MigrationResultSet, Migrator, type MigratorProps, NO_MIGRATIONS } from "kysely/migration"
import type { KyselyAdapterOptions } from "../kysely-adapter.js"
import { resolveDialect } from "../sql/dialect.js"
import { type AnyKysely, type AnyTables, overAnyTables } from "../sql/runner.js"
import { resolveSchema } from "../tables/schema.js"
import { getColumn, type Table } from "../tables/table.js"
import { findDuplicates, toDuplicateRows } from "./duplicates.js"
import {
  assertKnownChanges,
  assertKnownTables,
  type FoundSchema,
  findApplied,
  findTables,
  type Select,
  selectKeyType,
  withoutHostTables,
} from "./inspect.js"
import { migrationTables, type SchemaChange, schemaChanges } from "./schema-changes.js"
import type { MigrationTarget } from "./schema-statements.js"

/** The options of the adapter, and the migration to go to. */
export interface MigrateOptions extends KyselyAdapterOptions {
  /**
   * The name of the migration to go to, up or down. `"previous"` reverts the last one. `"none"` reverts all of them and so
   * **drops the tables with all their rows**. Default: the newest.
   */
  readonly to?: string | undefined
}

/** A migration that was applied (`up`) or reverted (`down`). */
export interface MadeMigration {
  readonly name: string
  readonly direction: "up" | "down"
}

/**
 * Migrates the tables to this version's schema. Safe to call from several processes at once: one migrates, the others
 * wait and find nothing to do. The table `latchkey_migration` lists the applied migrations.
 * @returns the migrations that were applied or reverted; empty if there was nothing to do
 * @throws UnknownSchema when a newer version has migrated the database, or it contains other tables of the same names
 * @throws the error of the database or of Kysely when a migration fails; it is rolled back if the database supports that
 */
export async function migrate(db: AnyKysely, options: MigrateOptions = {}): Promise<readonly MadeMigration[]> {
  const target = toTarget(db, options)
  const to = resolveGoal(await findKnownChanges(target, options.to), options.to)
  const provider = { getMigrations: async () => migrations(db, options) }
  const lock = target.dialect.kind === "sqlite" && !db.isTransaction ? locked : unlocked
  const tables = migrationTables(target.schema)
  const place = await findTableSchema(target)
  const { results = [], error } = await lock(target.db, async (instance, props) => {
    const migrator = new Migrator({
      ...props,
      ...place,
      db: instance,
      provider,
      migrationTableName: tables.applied,
      migrationLockTableName: tables.lock,
    })
    if (to === undefined) return await migrator.migrateToLatest()
    return await migrator.migrateTo(to === "none" ? NO_MIGRATIONS : to)
  })
  if (error !== undefined) throw await explainDuplicates(error, target)
  return results.map((result) => ({ name: result.migrationName, direction: result.direction === "Up" ? "up" : "down" }))
}

/** An error that names the users of rows that are there twice. The error itself if there are none. */
async function explainDuplicates(error: unknown, target: MigrationTarget): Promise<unknown> {
  const sentences: string[] = []
  for (const { query, toSentence } of findDuplicates(error, target)) {
    // The table may be missing, and within a transaction of the host, PostgreSQL answers no more.
    const users = await selectBy(target.db)(query).then(
      (found) => found,
      () => [],
    )
    if (users.length > 0) sentences.push(toSentence(users))
  }
  return toDuplicateRows(error, sentences)
}

/**
 * The schema of the migration tables in PostgreSQL: the first of the search path. Kysely's `Migrator` would otherwise use
 * tables of the same name in any other schema.
 */
async function findTableSchema({ db, dialect }: MigrationTarget): Promise<Pick<MigratorProps, "migrationTableSchema">> {
  if (dialect.kind !== "postgres") return {}
  const [name] = await selectBy(db)(sql`select current_schema() as name where current_schema() is not null`.compile(db))
  return name === undefined ? {} : { migrationTableSchema: name }
}

/**
 * The migrations by name, for your own `Migrator`.
 * @throws TypeError when an option is invalid or the dialect is not recognized
 */
export function migrations(db: AnyKysely, options: KyselyAdapterOptions = {}): Record<string, Migration> {
  const target = toTarget(db, options)
  const run = async (runner: Kysely<AnyTables>, step: SchemaChange["up"]): Promise<void> => {
    const known = await findTarget({ ...target, db: runner })
    const statements = step(await withKeyTypes(known))
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

/** The target without the tables of features whose names the host uses for tables of its own. */
export async function findTarget(target: MigrationTarget): Promise<MigrationTarget> {
  return withoutHostTables(target, { applied: [], tables: await findOwnTables(target) })
}

/** Empty if a plugin of the host renames the tables. */
async function findOwnTables(target: MigrationTarget): Promise<FoundSchema["tables"]> {
  const isRenamed = target.db.getExecutor().plugins.length > 0
  return isRenamed ? new Map() : await findTables(target, selectBy(target.db))
}

/** The target with the declarations of user ids and session tokens, which foreign keys in MySQL must repeat. */
export async function withKeyTypes(target: MigrationTarget): Promise<MigrationTarget> {
  if (target.dialect.repeatableBy === "ifNotExists") return target
  const { user, session } = target.schema
  const find = async (table: Table, field: string) =>
    (await selectBy(target.db)(selectKeyType(table.name, getColumn(table, field).name).compile(target.db)))[0]
  return { ...target, userIdType: await find(user, "id"), sessionTokenType: await find(session, "sessionToken") }
}

/**
 * The names of the applied changes. The tables are not checked if they will be dropped, or if a plugin of the host renames
 * them.
 * @throws UnknownSchema when the database contains tables that this version does not know
 */
export async function findKnownChanges(target: MigrationTarget, to: string | undefined): Promise<readonly string[]> {
  const select = selectBy(target.db)
  const applied = await findApplied(target, select)
  assertKnownChanges(applied)
  if (to !== "none" && to !== "previous" && target.db.getExecutor().plugins.length === 0) {
    const found = { applied, tables: await findTables(target, select) }
    assertKnownTables(found, withoutHostTables(target, found).schema)
  }
  return applied
}

/** The name of the migration to go to; `none` for the state before the first. */
export function resolveGoal(applied: readonly string[], to: string | undefined): string | undefined {
  return to === "previous" ? (applied.toSorted().at(-2) ?? "none") : to
}

function selectBy(db: Kysely<AnyTables>): Select {
  return async (query) => (await db.executeQuery<{ readonly name: string }>(query)).rows.map(({ name }) => String(name))
}

type Run = (db: Kysely<AnyTables>, props: Pick<MigratorProps, "disableTransactions">) => Promise<MigrationResultSet>

/** For databases that Kysely locks itself, and for transactions of the host. */
async function unlocked(db: Kysely<AnyTables>, run: Run): Promise<MigrationResultSet> {
  return await run(db, {})
}

/**
 * Takes the write lock before anything is read, for SQLite: Kysely's transactions begin with a read, and of two
 * concurrent ones the second could no longer write.
 */
async function locked(db: Kysely<AnyTables>, run: Run): Promise<MigrationResultSet> {
  return await db.connection().execute(async (connection) => {
    let ending = "rollback"
    try {
      await sql`begin immediate`.execute(connection)
    } catch (error) {
      if (!isRefusedByD1(error)) throw error
      return await run(connection, { disableTransactions: true })
    }
    try {
      const outcome = await run(connection, { disableTransactions: true })
      if (outcome.error === undefined) ending = "commit"
      return outcome
    } finally {
      await sql.raw(ending).execute(connection)
    }
  })
}

/** D1 has no transactions across statements. Each change can be repeated; `d1()` runs all of them in one batch. */
function isRefusedByD1(error: unknown): boolean {
  return error instanceof Error && error.message.includes("state.storage.transaction()")
}
