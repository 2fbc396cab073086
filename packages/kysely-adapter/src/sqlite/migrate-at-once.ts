import type { DatabaseSync } from "node:sqlite"
import type { Compilable } from "kysely"
import type { MigrationTarget } from "../migrations/schema-change.js"
import { migrationLockTable, migrationTable, schemaChanges } from "../migrations/schema-changes.js"

/**
 * Brings a file to this version's schema before it returns. Keeps the same books as `migrate`, so both can be used on
 * one file. Several processes may do it at once: the write lock is taken before anything is read.
 * @throws Error when a newer version of this package has migrated the file already.
 */
export function migrateAtOnce(database: DatabaseSync, target: MigrationTarget): void {
  if (pendingChanges(database).length === 0) return
  transact(database, () => {
    openBooks(database)
    const insert = database.prepare(`insert into "${migrationTable}" (name, timestamp) values (?, ?)`)
    for (const name of pendingChanges(database)) {
      for (const statement of schemaChanges[name]?.up(target) ?? []) database.exec(toText(statement))
      insert.run(name, new Date().toISOString())
    }
  })
}

function pendingChanges(database: DatabaseSync): string[] {
  const made = madeChanges(database)
  const foreign = made.find((name) => !Object.hasOwn(schemaChanges, name))
  if (foreign !== undefined) throw new Error(`The database was migrated by a newer version, which made ${foreign}`)
  return Object.keys(schemaChanges).filter((name) => !made.includes(name))
}

function madeChanges(database: DatabaseSync): string[] {
  const books = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(migrationTable)
  if (books === undefined) return []
  const rows = database.prepare(`select name from "${migrationTable}"`).all()
  return rows.map((row) => String(row["name"]))
}

/** The tables that Kysely's `Migrator` makes, as it makes them. */
function openBooks(database: DatabaseSync): void {
  database.exec(
    `create table if not exists "${migrationTable}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
    create table if not exists "${migrationLockTable}" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
    insert or ignore into "${migrationLockTable}" ("id", "is_locked") values ('migration_lock', 0)`,
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
