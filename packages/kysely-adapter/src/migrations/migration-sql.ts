import { type Compilable, sql } from "kysely"
import type { KyselyAdapterOptions } from "../kysely-adapter.js"
import { type DatabaseKind, getDialect, statementBuilder } from "../sql/dialect.js"
import type { AnyKysely } from "../sql/runner.js"
import { resolveSchema } from "../tables/schema.js"
import {
  findKnownChanges,
  findTarget,
  type MadeMigration,
  type MigrateOptions,
  resolveGoal,
  toTarget,
  withKeyTypes,
} from "./migrate.js"
import { migrationTables, schemaChanges } from "./schema-changes.js"
import type { MigrationTarget } from "./schema-statements.js"

/**
 * The SQL that `migrate` would run, as a script for you to review and run. It records the migrations, so that `migrate`
 * finds nothing to do afterwards. Empty if there is nothing to do.
 * @throws UnknownSchema as `migrate` does
 * @throws Error when no migration has the name
 */
export async function pendingSql(db: AnyKysely, options: MigrateOptions = {}): Promise<string> {
  const target = await withKeyTypes(await findTarget(toTarget(db, options)))
  const applied = await findKnownChanges(target, options.to)
  return toScript(target, planSteps(applied, resolveGoal(applied, options.to)))
}

/**
 * The SQL for an empty database, without a connection.
 * @param database `"d1"` leaves out the transaction, which `wrangler d1` refuses because it begins one itself
 */
export function schemaSql(database: DatabaseKind | "d1", options: Omit<KyselyAdapterOptions, "database"> = {}): string {
  const kind = database === "d1" ? "sqlite" : database
  const target = { schema: resolveSchema(options), dialect: getDialect(kind), db: statementBuilder(kind) }
  const steps = planSteps([], undefined)
  return database === "d1" ? toText(compileAll(target, steps)) : toScript(target, steps)
}

export function planSteps(applied: readonly string[], to: string | undefined): readonly MadeMigration[] {
  const names = Object.keys(schemaChanges)
  const last = to === undefined ? names.length - 1 : names.indexOf(to)
  if (last === -1 && to !== "none") throw new Error(`Unknown migration "${to}"`)
  const back = applied.filter((name) => names.indexOf(name) > last).toReversed()
  if (back.length > 0) return back.map((name) => ({ name, direction: "down" }))
  const forward = names.slice(0, last + 1).filter((name) => !applied.includes(name))
  return forward.map((name) => ({ name, direction: "up" }))
}

function toScript(target: MigrationTarget, steps: readonly MadeMigration[]): string {
  if (steps.length === 0) return ""
  const texts = compileAll(target, steps)
  // MySQL commits at each schema change.
  return toText(target.dialect.repeatableBy === "inspect" ? texts : ["begin", ...texts, "commit"])
}

function toText(statements: readonly string[]): string {
  return statements.map((text) => `${text};\n`).join("")
}

/** The statements of the steps, which record them as well. None has parameters. */
export function compileAll(target: MigrationTarget, steps: readonly MadeMigration[]): readonly string[] {
  const statements = [
    createAppliedTable(target),
    ...steps.flatMap((step) => [...(schemaChanges[step.name]?.[step.direction](target) ?? []), record(target, step)]),
  ]
  return statements.map((statement) => statement.compile().sql)
}

/** Creates the table as Kysely's `Migrator` does. */
function createAppliedTable({ db, schema }: MigrationTarget): Compilable {
  return db.schema
    .createTable(migrationTables(schema).applied)
    .ifNotExists()
    .addColumn("name", "varchar(255)", (column) => column.notNull().primaryKey())
    .addColumn("timestamp", "varchar(255)", (column) => column.notNull())
}

function record({ db, schema }: MigrationTarget, { name, direction }: MadeMigration): Compilable {
  const { applied } = migrationTables(schema)
  if (direction === "down") return db.deleteFrom(applied).where(sql<boolean>`${sql.ref("name")} = ${sql.lit(name)}`)
  const now = new Date().toISOString()
  return db.insertInto(applied).values({ name: sql.lit(name), timestamp: sql.lit(now) })
}
