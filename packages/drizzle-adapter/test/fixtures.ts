import { DatabaseSync } from "node:sqlite"
import type { AdapterAccount, AdapterUser } from "@latchkey/core/adapters"
import * as sqliteTables from "@latchkey/drizzle-adapter/sqlite"
import { type Column, type DrizzleConfig, getTableColumns, getTableName, type Table } from "drizzle-orm"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy"

export const expires = new Date("2040-02-29T23:59:59.987Z")

/** A user with a unique id and email. */
export function sampleUser(fields: Partial<AdapterUser> = {}): AdapterUser {
  const id = crypto.randomUUID()
  return { id, email: `${id}@example.com`, emailVerified: null, ...fields }
}

export function sampleAccount(userId: string, fields: Partial<AdapterAccount> = {}): AdapterAccount {
  return { userId, type: "oidc", provider: "harbour", providerAccountId: crypto.randomUUID(), ...fields }
}

export interface OpenSqlite {
  readonly db: SqliteRemoteDatabase
  readonly database: DatabaseSync
}

/** Drizzle on `node:sqlite`, for which it has no driver. */
export function openNodeSqlite(config: DrizzleConfig = {}): OpenSqlite {
  const database = new DatabaseSync(":memory:")
  const db = drizzle(async (text, parameters, method) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    if (method === "run") {
      statement.run(...parameters)
      return { rows: [] }
    }
    const rows = statement.all(...parameters)
    // as: `get` returns a single row, and Drizzle's types do not allow for none.
    return { rows: method === "get" ? (rows[0] as never) : rows }
  }, config)
  return { db, database }
}

/** A database in memory with all tables of `@latchkey/drizzle-adapter/sqlite`. */
export function openTables(config: DrizzleConfig = {}): OpenSqlite {
  const opened = openNodeSqlite(config)
  createSqliteTables(opened.database)
  return opened
}

export function createSqliteTables(database: DatabaseSync): void {
  for (const statement of createStatements(tablesOf(sqliteTables), getTableConfig)) database.exec(statement)
}

/** The part of Drizzle's table configurations that all databases share. */
export interface TableConfig {
  readonly columns: readonly Column[]
  readonly primaryKeys: readonly { readonly columns: readonly Column[] }[]
  readonly foreignKeys: readonly {
    readonly onDelete: string | undefined
    reference(): {
      readonly columns: readonly Column[]
      readonly foreignTable: Table
      readonly foreignColumns: readonly Column[]
    }
  }[]
}

/** The statements that create the tables, as `drizzle-kit` would write them. */
export function createStatements(
  tables: readonly Table[],
  configOf: (table: never) => TableConfig,
  quote: '"' | "`" = '"',
): readonly string[] {
  const name = (text: string) => `${quote}${text}${quote}`
  const names = (columns: readonly Column[]) => columns.map((column) => name(column.name)).join(", ")
  return tables.map((table) => {
    const { columns, primaryKeys, foreignKeys } = configOf(table as never) // as: of the database that is tested
    const parts = [
      ...columns.map((column) => `${name(column.name)} ${declare(column)}`),
      ...primaryKeys.map((key) => `primary key (${names(key.columns)})`),
      ...foreignKeys.map((key) => {
        const { columns: own, foreignTable, foreignColumns } = key.reference()
        const target = `${name(getTableName(foreignTable))} (${names(foreignColumns)})`
        return `foreign key (${names(own)}) references ${target} on delete ${key.onDelete ?? "no action"}`
      }),
    ]
    return `create table ${name(getTableName(table))} (${parts.join(", ")})`
  })
}

function declare(column: Column): string {
  const parts = [
    column.getSQLType(),
    column.generatedIdentity === undefined ? "" : "generated always as identity",
    column.hasDefault && column.getSQLType() === "uuid" ? "default gen_random_uuid()" : "",
    "autoIncrement" in column && column.autoIncrement === true ? "auto_increment" : "",
    column.primary ? "primary key" : "",
    column.notNull ? "not null" : "",
    column.isUnique ? "unique" : "",
  ]
  return parts.filter((part) => part !== "").join(" ")
}

/** The tables that a module exports, each after the tables that it refers to. */
export function tablesOf(module: Readonly<Record<string, Table>>): readonly Table[] {
  return Object.values(module).toSorted((one, other) => countOwners(one) - countOwners(other))
}

function countOwners(table: Table): number {
  const columns = getTableColumns(table)
  return ["userId", "providerSession"].filter((field) => Object.hasOwn(columns, field)).length
}
