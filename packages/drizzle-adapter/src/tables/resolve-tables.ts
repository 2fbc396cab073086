import type { DrizzleTables } from "./drizzle-tables.js"
import { models, type TableName } from "./models.js"
import { type RecordTable, recordTable } from "./record-table.js"

type EssentialTable = Exclude<TableName, "spentTable" | "provenEmailsTable">

export type RecordTables = Readonly<Record<EssentialTable, RecordTable>> & {
  readonly spentTable: RecordTable | null
  readonly provenEmailsTable: RecordTable | null
}

/**
 * The host's tables, and the default ones for those of the contract that are left out.
 * @throws TypeError when a table lacks a column
 */
export function resolveTables(tables: DrizzleTables, defaults: Required<DrizzleTables>): RecordTables {
  const resolve = (name: TableName) => recordTable(name, tables[name] ?? defaults[name], models[name])
  return {
    usersTable: resolve("usersTable"),
    accountsTable: resolve("accountsTable"),
    sessionsTable: resolve("sessionsTable"),
    verificationTokensTable: resolve("verificationTokensTable"),
    authenticatorsTable: resolve("authenticatorsTable"),
    spentTable: tables.spentTable === undefined ? null : resolve("spentTable"),
    provenEmailsTable: tables.provenEmailsTable === undefined ? null : resolve("provenEmailsTable"),
  }
}
