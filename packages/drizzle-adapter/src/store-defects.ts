import {
  type Catalog,
  findDatabaseDefects,
  type InspectedColumn,
  type InspectedTable,
  type RecordName,
} from "@latchkey/adapter-kit"
import type { StoreDefect } from "@latchkey/core/adapters"
import { getTableName, getTableUniqueName, sql } from "drizzle-orm"
import type { Dialect } from "./dialect.js"
import type { RecordTable, RecordTables } from "./record-tables.js"
import type { RowAccess } from "./table-rows.js"

/** What is wrong with the tables that exist, and with the clock of the database. Writes nothing. */
export function findStoreDefects(
  { db, run }: Pick<RowAccess, "db" | "run">,
  { kind }: Dialect,
  records: RecordTables,
): Promise<readonly StoreDefect[]> {
  const selected = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, sql`${sql.identifier(name)}`]))
  const catalog: Catalog = {
    kind,
    async list(query) {
      const rows = await run(() => db.select(selected).from(sql.raw(`(${query}) as found`)))
      return rows.map((row) => Object.values(row))
    },
  }
  const tables = Object.entries(records).flatMap(([name, record]: [string, RecordTable | null]) =>
    // as: the names of the records are the keys.
    record === null ? [] : [toInspected(name as RecordName, record)],
  )
  return findDatabaseDefects(catalog, tables)
}

function toInspected(name: RecordName, { table, fields }: RecordTable): InspectedTable {
  const uniques = name === "user" ? [fields.key, ["email"]] : [fields.key]
  const identifying = new Set(uniques.flat())
  const columns = Array.from(fields.all()).flatMap(({ field, kind, column }): InspectedColumn[] => {
    const use = name === "account" && kind === "text" && /token$/.test(field) ? "token" : "key"
    return use === "token" || identifying.has(field) ? [{ name: column.name, use }] : []
  })
  // Drizzle names the schema that every connection has, although other databases have none.
  const schema = getTableUniqueName(table).slice(0, -getTableName(table).length - 1)
  return {
    name: getTableName(table),
    schema: schema === "public" ? undefined : schema,
    uniques: uniques.map((names) => names.map((field) => fields.get(field).column.name)),
    columns,
  }
}
