import {
  type AuthenticatorMethods,
  adapterMethods,
  defaultTimeoutMilliseconds,
  type Housekeeping,
  type OptionalMethods,
  type Promised,
  type RecordMethods,
} from "@latchkey/adapter-kit"
import type { AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import { createRunner } from "./database-failure.js"
import { type DrizzleDatabase, inspectDatabase } from "./drizzle-database.js"
import { type DrizzleTables, type RecordTable, resolveTables } from "./record-tables.js"
import { ownerLookup, type RowAccess, tableRows } from "./table-rows.js"
import { type QueryBuilders, TableStatements } from "./table-statements.js"

/** The options of `DrizzleAdapter` besides the tables. */
export interface DrizzleAdapterOptions {
  /** How long a call waits for the database before it fails, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number
}

/** The methods of the contract, and housekeeping. The methods that need a table or column you leave out are absent. */
export interface DrizzleAdapter
  extends Promised<RecordMethods & AuthenticatorMethods & Housekeeping>,
    Partial<Promised<OptionalMethods>> {}

/**
 * Stores records in the tables of your own Drizzle database: PostgreSQL, MySQL, MariaDB or SQLite, with any driver. The
 * tables must exist; import their definitions from `@latchkey/drizzle-adapter/pg`, `/mysql` or `/sqlite`.
 *
 * Each method is one statement (two if the database cannot return the rows it wrote), so uniqueness and single use hold
 * across any number of processes. If you pass a transaction, everything happens within it.
 * @param tables Your own tables. Default: the five tables of the ecosystem's Drizzle adapter, with its names.
 * @throws TypeError when the database is not supported or a table lacks a column
 * @example const config = { adapter: DrizzleAdapter(drizzle(pool), schema), providers: [...] }
 */
export function DrizzleAdapter(
  db: DrizzleDatabase,
  tables: DrizzleTables = {},
  options: DrizzleAdapterOptions = {},
): DrizzleAdapter {
  const { dialect, defaultTables, isTransaction } = inspectDatabase(db)
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = options
  const access: RowAccess = {
    db: db as unknown as QueryBuilders, // as: the same builders, for tables that are only known at run time
    run: createRunner({ timeoutMilliseconds, isTransaction }),
    returnsRows: dialect.returnsRows,
  }
  const records = resolveTables(tables, defaultTables, dialect)
  const statementsOf = <T>(table: RecordTable) => new TableStatements<T>(table, dialect)
  const rowsOf = <T>(table: RecordTable) => tableRows<T>(access, statementsOf(table))
  const users = statementsOf<AdapterUser>(records.user)
  const sessions = statementsOf<AdapterSession>(records.session)
  const findAccount = ownerLookup(access, statementsOf<unknown>(records.account), users)
  const findSession = ownerLookup(access, sessions, users)
  return adapterMethods({
    users: tableRows(access, users),
    accounts: rowsOf(records.account),
    sessions: tableRows(access, sessions),
    verificationTokens: rowsOf(records.verificationToken),
    authenticators: rowsOf(records.authenticator),
    consumedIds: records.spent && rowsOf(records.spent),
    verifiedEmails: records.provenEmail && rowsOf(records.provenEmail),
    newUserId: newUserId(records.user, dialect.returnsRows),
    findAccountOwner: async (key) => (await findAccount(key))?.owner ?? null,
    async findSessionAndUser(key) {
      const found = await findSession(key)
      return found && { session: found.owned, user: found.owner }
    },
  }) as DrizzleAdapter // as: every method of `tableRows` is asynchronous, and there is always a table of authenticators
}

/**
 * The id to insert for a new user: from the column's default function, else the proposed one or a random UUID. Undefined
 * if the database generates it and can return it.
 */
function newUserId({ fields }: RecordTable, returnsRows: boolean): (proposed: string | undefined) => unknown {
  const { defaultFn, hasDefault, dataType } = fields.get("id").column
  if (defaultFn !== undefined) return () => defaultFn()
  const isCounted = dataType === "number" || dataType === "bigint"
  if (hasDefault && (returnsRows || isCounted)) return () => undefined
  return (proposed) => proposed ?? crypto.randomUUID()
}
