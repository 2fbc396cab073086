import type { DatabaseSync } from "node:sqlite"
import type { Compilable } from "kysely"
import { selectColumns, selectMade, tableNames } from "../migrations/find-schema.js"
import type { MigrationTarget } from "../migrations/schema-change.js"
import { booksOf, schemaChanges } from "../migrations/schema-changes.js"
import { assertKnownChanges, assertKnownTables } from "../migrations/unknown-schema.js"

/**
 * Brings a file to this version's schema before it returns. Keeps the same books as `migrate`, so both can be used on
 * one file. Several processes may do it at once: the write lock is taken before anything is read.
 * @throws UnknownSchema when a newer version has migrated the file already, or it holds other tables of the same names
 */
export function migrateAtOnce(database: DatabaseSync, target: MigrationTarget): void {
  if (pendingChanges(database, target).length === 0) return
  transact(database, () => {
    openBooks(database, target)
    const insert = database.prepare(`insert into "${booksOf(target.schema).made}" (name, timestamp) values (?, ?)`)
    for (const name of pendingChanges(database, target)) {
      for (const statement of schemaChanges[name]?.up(target) ?? []) database.exec(toText(statement))
      insert.run(name, new Date().toISOString())
    }
  })
}

function pendingChanges(database: DatabaseSync, target: MigrationTarget): string[] {
  const select = (text: string) =>
    database
      .prepare(text)
      .all()
      .map((row) => String(row["name"]))
  const columns = (table: string) => select(selectColumns(target, table).sql)
  const made = columns(booksOf(target.schema).made).length > 0 ? select(toText(selectMade(target))) : []
  assertKnownChanges(made)
  assertKnownTables({ made, tables: new Map(tableNames(target).map((name) => [name, columns(name)])) }, target.schema)
  return Object.keys(schemaChanges).filter((name) => !made.includes(name))
}

/** The tables that Kysely's `Migrator` makes, as it makes them. */
function openBooks(database: DatabaseSync, { schema }: MigrationTarget): void {
  const { made, lock } = booksOf(schema)
  database.exec(
    `create table if not exists "${made}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
    create table if not exists "${lock}" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
    insert or ignore into "${lock}" ("id", "is_locked") values ('migration_lock', 0)`,
  )
}

function transact(database: DatabaseSync, work: () => void): void {
  database.exec("begin immediate")
  try {
    work()
    database.exec("commit")
  } catch (error) {
    database.exec("rollback")
    throw error
  }
}

function toText(statement: Compilable): string {
  return statement.compile().sql
}
