import { type Compilable, sql } from "kysely"
import type { KyselyAdapterOptions } from "../kysely-adapter.js"
import type { AnyKysely } from "../sql/any-kysely.js"
import type { DatabaseKind } from "../sql/dialect.js"
import { getDialect } from "../sql/resolve-dialect.js"
import { statementBuilder } from "../sql/statement-builder.js"
import { resolveSchema } from "../tables/schema.js"
import { findKnown, type MigrateOptions, resolveGoal, toTarget, withUserIdType } from "./migrate.js"
import type { MigrationTarget } from "./schema-change.js"
import { booksOf, schemaChanges } from "./schema-changes.js"

/**
 * What `migrate` would do, as a script: for those who let somebody else change their databases. It keeps the books too,
 * so that `migrate` finds nothing to do afterwards. Empty when there is nothing to do.
 * @throws UnknownSchema as `migrate` does
 * @throws Error when there is no migration of the name
 */
export async function pendingSql(db: AnyKysely, options: MigrateOptions = {}): Promise<string> {
  const target = await withUserIdType(toTarget(db, options))
  const made = await findKnown(target, options.to)
  return toScript(target, planSteps(made, resolveGoal(made, options.to)))
}

/** The same for a database that has nothing yet, without asking one. */
export function schemaSql(database: DatabaseKind, options: Omit<KyselyAdapterOptions, "database"> = {}): string {
  const target = { schema: resolveSchema(options), dialect: getDialect(database), db: statementBuilder(database) }
  return toScript(target, planSteps([], undefined))
}

interface Step {
  readonly name: string
  readonly direction: "up" | "down"
}

function planSteps(made: readonly string[], to: string | undefined): readonly Step[] {
  const names = Object.keys(schemaChanges)
  const last = to === undefined ? names.length - 1 : names.indexOf(to)
  if (last === -1 && to !== "none") throw new Error(`There is no migration "${to}"`)
  const back = made.filter((name) => names.indexOf(name) > last).toReversed()
  if (back.length > 0) return back.map((name) => ({ name, direction: "down" }))
  const forth = names.slice(0, last + 1).filter((name) => !made.includes(name))
  return forth.map((name) => ({ name, direction: "up" }))
}

function toScript(target: MigrationTarget, steps: readonly Step[]): string {
  if (steps.length === 0) return ""
  const statements = [
    openBooks(target),
    ...steps.flatMap((step) => [...takeStep(target, step), noteStep(target, step)]),
  ]
  const texts = statements.map((statement) => statement.compile().sql)
  // MySQL ends a transaction at each change of the schema.
  const whole = target.dialect.repeating === "ask" ? texts : ["begin", ...texts, "commit"]
  return whole.map((text) => `${text};\n`).join("")
}

function takeStep(target: MigrationTarget, { name, direction }: Step): readonly Compilable[] {
  return schemaChanges[name]?.[direction](target) ?? []
}

/** As Kysely's `Migrator` makes it. */
function openBooks({ db, schema }: MigrationTarget): Compilable {
  return db.schema
    .createTable(booksOf(schema).made)
    .ifNotExists()
    .addColumn("name", "varchar(255)", (column) => column.notNull().primaryKey())
    .addColumn("timestamp", "varchar(255)", (column) => column.notNull())
}

function noteStep({ db, schema }: MigrationTarget, { name, direction }: Step): Compilable {
  const { made } = booksOf(schema)
  if (direction === "down") return db.deleteFrom(made).where(sql<boolean>`${sql.ref("name")} = ${sql.lit(name)}`)
  const now = new Date().toISOString()
  return db.insertInto(made).values({ name: sql.lit(name), timestamp: sql.lit(now) })
}
