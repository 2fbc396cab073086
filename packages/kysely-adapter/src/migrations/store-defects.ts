import { type Catalog, findDatabaseDefects, type InspectedColumn, type InspectedTable } from "@latchkey/adapter-kit"
import type { StoreDefect } from "@latchkey/core/adapters"
import { CompiledQuery, sql } from "kysely"
import type { SqlAccess } from "../sql/table-rows.js"
import type { Schema } from "../tables/schema.js"
import { type Column, getColumn, type Table } from "../tables/table.js"

type Access = Pick<SqlAccess, "schema" | "dialect" | "db" | "runner">

/** What is wrong with the tables that exist, and with the clock of the database. Empty if a plugin renames the tables. */
export async function findStoreDefects(access: Access): Promise<readonly StoreDefect[]> {
  if (access.db.getExecutor().plugins.length > 0) return []
  const catalog: Catalog = {
    kind: access.dialect.kind,
    async list(query) {
      const rows = await access.runner.list({ ...CompiledQuery.raw(query), parameters: [] })
      return rows.map((row) => Object.values(row))
    },
  }
  return findDatabaseDefects(
    catalog,
    listTables(access.schema).map((table) => toInspected(access, table)),
  )
}

function listTables({ prefix: _, ...tables }: Schema): readonly Table[] {
  // A table that the host may use for something else is not ours to judge.
  return Object.values(tables).flatMap((table) => (table === null || table.isUnclaimed ? [] : [table]))
}

function toInspected(access: Access, table: Table): InspectedTable {
  const [name = "", schema] = table.name.split(".").toReversed()
  const uniques = uniquesOf(access.schema, table)
  const identifying = new Set(uniques.flat())
  const columns = table.columns.flatMap((column): InspectedColumn[] => {
    if (table.extra.includes(column)) return []
    const isToken = table === access.schema.account && column.kind === "text" && /token$/.test(column.field)
    const isKey = identifying.has(column.name) && (column.kind === "key" || column.kind === "longKey")
    if (!isToken && !isKey) return []
    return [{ name: column.name, use: isToken ? "token" : "key", statement: alterColumn(access, table, column) }]
  })
  return { name, schema, uniques, columns }
}

/** The columns that must be unique together. */
function uniquesOf(schema: Schema, table: Table): readonly (readonly string[])[] {
  const fields = table === schema.user ? [["id"], ["email"]] : [table.key]
  return fields.map((names) => names.map((field) => getColumn(table, field).name))
}

/** The statement that gives a column the type of a new table. */
function alterColumn({ dialect, db }: Access, table: Table, { name, kind, presence }: Column): string {
  const type = sql.raw(dialect.columnTypes[kind])
  const [of, column] = [sql.table(table.name), sql.ref(name)]
  const nullness = sql.raw(presence === "required" && !table.isNullable ? " not null" : "")
  const change =
    dialect.kind === "mysql"
      ? sql`alter table ${of} modify ${column} ${type}${nullness}`
      : sql`alter table ${of} alter column ${column} type ${type}${sql.raw(isText(kind) ? ' collate "default"' : "")}`
  return change.compile(db).sql
}

const isText = (kind: Column["kind"]) => kind === "key" || kind === "longKey" || kind === "text"
