import type { AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import {
  accountMethods,
  authenticatorMethods,
  changingAuthenticators,
  emailMethods,
  type OptionalMethods,
  type RecordMethods,
  sessionMethods,
  spendingMethods,
  tokenMethods,
  userMethods,
} from "./adapter-methods.js"
import { type DrizzleDatabase, kindOf } from "./drizzle-database.js"
import { createRunner } from "./failure/run-statement.js"
import type { Dialect } from "./statements/dialect.js"
import { ownedAndOwnerLookup } from "./statements/owner-lookup.js"
import type { QueryBuilders } from "./statements/query-builders.js"
import type { RowAccess } from "./statements/row-access.js"
import { type TableRows, tableRows } from "./statements/table-rows.js"
import { TableStatements } from "./statements/table-statements.js"
import type { DrizzleTables } from "./tables/drizzle-tables.js"
import { newUserId } from "./tables/new-user-id.js"
import type { RecordTable } from "./tables/record-table.js"
import { type RecordTables, resolveTables } from "./tables/resolve-tables.js"

export interface DrizzleAdapterOptions {
  /** How long a call waits for the database before it ends in an error. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/** The operations of the contract, and housekeeping. */
export interface DrizzleAdapter extends RecordMethods, OptionalMethods {
  /**
   * Removes sessions, verification tokens and what was spent that had expired at an instant (default: now), and says
   * how many they were. Expired rows are refused without it; it only gives their space back. Call it now and then.
   */
  removeExpired(at?: Date): Promise<number>
}

const defaultTimeoutMilliseconds = 10_000

/**
 * Keeps the records in the tables of a host's own Drizzle database: PostgreSQL, MySQL, MariaDB or SQLite, with any
 * driver. The tables must exist; their definitions are in `@latchkey/drizzle-adapter/pg`, `/mysql` and `/sqlite`.
 *
 * Each operation is one statement (two where a database cannot return what it wrote), so uniqueness and single use hold
 * between any number of processes. The database may be a transaction; then all happens within it.
 * @param tables The host's own. Default: the five that the ecosystem's adapter for Drizzle knows, by its names.
 * @throws TypeError when the database is not known, or a table lacks a column
 * @example const config = { adapter: DrizzleAdapter(drizzle(pool), schema), providers: [...] }
 */
export function DrizzleAdapter(
  db: DrizzleDatabase,
  tables: DrizzleTables = {},
  options: DrizzleAdapterOptions = {},
): DrizzleAdapter {
  const { dialect, defaultTables, isTransaction } = kindOf(db)
  const records = resolveTables(tables, defaultTables)
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const access: RowAccess = {
    db: db as unknown as QueryBuilders, // as: the same builders, of tables that are not known before
    run: createRunner({ timeoutMilliseconds, isTransaction }),
    returnsRows: dialect.returnsRows,
  }
  return adapterOver(access, dialect, records)
}

function adapterOver(access: RowAccess, dialect: Dialect, tables: RecordTables): DrizzleAdapter {
  const statementsOf = <T>(table: RecordTable) => new TableStatements<T>(table, dialect)
  const rowsOf = <T>(table: RecordTable): TableRows<T> => tableRows(access, statementsOf<T>(table))
  const users = statementsOf<AdapterUser>(tables.usersTable)
  const sessions = statementsOf<AdapterSession>(tables.sessionsTable)
  const expiring = [tables.sessionsTable, tables.verificationTokensTable, tables.spentTable]
  return {
    ...userMethods({
      users: tableRows(access, users),
      ownerOfAccount: ownedAndOwnerLookup(access, statementsOf(tables.accountsTable), users),
      newId: newUserId(tables.usersTable, dialect.returnsRows),
    }),
    ...accountMethods(rowsOf(tables.accountsTable)),
    ...sessionMethods(tableRows(access, sessions), ownedAndOwnerLookup(access, sessions, users)),
    ...tokenMethods(rowsOf(tables.verificationTokensTable)),
    ...authenticatorMethods(rowsOf(tables.authenticatorsTable)),
    ...optionalMethods(tables, rowsOf),
    async removeExpired(at = new Date()) {
      let removed = 0
      for (const table of expiring) if (table !== null) removed += await rowsOf(table).removeBefore("expires", at)
      return removed
    },
  }
}

type RowsOf = <T>(table: RecordTable) => TableRows<T>

function optionalMethods(tables: RecordTables, rowsOf: RowsOf): OptionalMethods {
  const { authenticatorsTable, spentTable, provenEmailsTable } = tables
  const fields = new Set(authenticatorsTable.columns.map(({ field }) => field))
  return {
    ...(fields.has("name") && fields.has("lastUsedAt") && changingAuthenticators(rowsOf(authenticatorsTable))),
    ...(spentTable && spendingMethods(rowsOf(spentTable))),
    ...(provenEmailsTable && emailMethods(rowsOf(provenEmailsTable))),
  }
}
