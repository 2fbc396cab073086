import type { SqlAccess } from "../sql/table-rows.js"
import type { Table } from "../tables/table.js"
import { findTables, type Select, withoutHostTables } from "./inspect.js"

/**
 * The tables and columns that the adapter uses and the database lacks: `Spent`, `Authenticator.name`. Empty if a plugin of the
 * host renames the tables.
 */
export async function findMissing(access: Pick<SqlAccess, "schema" | "dialect" | "db" | "runner">): Promise<string[]> {
  if (access.db.getExecutor().plugins.length > 0) return []
  const select: Select = async (query) => {
    const rows = await access.runner.list({ ...query, parameters: [] })
    return rows.map((row) => String(Object.values(row)[0]))
  }
  const tables = await findTables(access, select)
  const { prefix: _, ...own } = withoutHostTables(access, { applied: [], tables }).schema
  return Object.values(own).flatMap((table) => (table === null ? [] : missingOf(table, tables)))
}

function missingOf({ name, columns, rowId, link }: Table, tables: ReadonlyMap<string, readonly string[]>): string[] {
  const needed = [...columns.map((column) => column.name), ...(rowId === undefined ? [] : [rowId])]
  return [
    ...lacking(name, needed, tables),
    ...(link === undefined ? [] : lacking(link.name, [link.owned, link.owner], tables)),
  ]
}

function lacking(name: string, columns: readonly string[], tables: ReadonlyMap<string, readonly string[]>): string[] {
  const found = tables.get(name) ?? []
  if (found.length === 0) return [name]
  return columns.filter((column) => !found.includes(column)).map((column) => `${name}.${column}`)
}
