import {
  type AuthenticatorMethods,
  adapterMethods,
  callTransaction,
  type FeatureMethods,
  type Housekeeping,
  isMissingTable,
  type OptionalMethods,
  type Promised,
  type RecordMethods,
  type RecordStores,
  readTimeout,
} from "@latchkey/adapter-kit"
import type { Adapter, AdapterSession, AdapterUser, Awaitable, StoreDefect } from "@latchkey/core/adapters"
import { createRunner, type RunStatement } from "./database-failure.js"
import type { Dialect } from "./dialect.js"
import { type DrizzleDatabase, inspectDatabase } from "./drizzle-database.js"
import { type DrizzleTables, type RecordTable, type RecordTables, resolveTables } from "./record-tables.js"
import { ownerLookup, type RowAccess, readForeignKeys, tableRows } from "./table-rows.js"
import { type QueryBuilders, TableStatements } from "./table-statements.js"

/** The options of `DrizzleAdapter` besides the tables. */
export interface DrizzleAdapterOptions {
  /** How long a call waits for the database before it fails, in milliseconds. Default: 10,000. */
  readonly timeoutMilliseconds?: number | undefined
}

/**
 * The methods of the contract, and housekeeping. The methods that need a table or column you leave out are absent, and
 * `createSessionDetail`, `endSessions` and `transaction` with a driver that has no transactions, or with SQLite.
 */
export interface DrizzleAdapter
  extends Promised<RecordMethods & AuthenticatorMethods & Housekeeping>,
    Partial<Promised<OptionalMethods & FeatureMethods>>,
    Pick<Adapter, "transaction"> {
  /**
   * Lists what is wrong with the tables that exist, for `latchkey doctor`: unique indexes that are missing, columns too short for
   * tokens, columns that take different texts for equal, a clock of the database that differs. Writes nothing.
   */
  findStoreDefects(): Promise<readonly StoreDefect[]>
}

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
  const { dialect, defaultTables, isTransaction, hasTransactions } = inspectDatabase(db)
  const timeoutMilliseconds = readTimeout(options)
  const opened: OpenTables = { records: resolveTables(tables, defaultTables, dialect), dialect, hasTransactions }
  const access: RowAccess = {
    db: db as unknown as QueryBuilders, // as: the same builders, for tables that are only known at run time
    run: createRunner({ timeoutMilliseconds, isTransaction }),
    returnsRows: dialect.returnsRows,
  }
  const runWithin = createRunner({ timeoutMilliseconds, isTransaction: true })
  const methods = adapterMethods(drizzleStores(opened, access, isTransaction ? null : runWithin))
  const findStoreDefects = async () =>
    (await import("./store-defects.js")).findStoreDefects(access, dialect, opened.records)
  return { ...methods, findStoreDefects } as DrizzleAdapter // as: every method of `tableRows` is asynchronous, and there is always a table of authenticators
}

/** The tables of an adapter. */
interface OpenTables {
  readonly records: RecordTables
  readonly dialect: Dialect
  readonly hasTransactions: boolean
}

/** @param runWithin Runs the statements of the adapter's own transactions. Null within a transaction. */
function drizzleStores(opened: OpenTables, access: RowAccess, runWithin: RunStatement | null): RecordStores {
  const { records, dialect, hasTransactions } = opened
  const statementsOf = <T>(table: RecordTable) => new TableStatements<T>(table, dialect)
  const rowsOf = <T>(table: RecordTable) => tableRows<T>(access, statementsOf(table))
  const users = statementsOf<AdapterUser>(records.user)
  const sessions = statementsOf<AdapterSession>(records.session)
  const findAccount = ownerLookup(access, statementsOf<unknown>(records.account), users)
  const findSession = ownerLookup(access, sessions, users)
  const stores: RecordStores = {
    users: tableRows(access, users),
    accounts: rowsOf(records.account),
    sessions: tableRows(access, sessions),
    verificationTokens: rowsOf(records.verificationToken),
    authenticators: rowsOf(records.authenticator),
    consumedIds: records.spent && rowsOf(records.spent),
    verifiedEmails: records.provenEmail && rowsOf(records.provenEmail),
    temporaries: records.temporary && rowsOf(records.temporary),
    sessionDetails: records.sessionDetail && rowsOf(records.sessionDetail),
    passwords: records.password && rowsOf(records.password),
    factors: records.factor && rowsOf(records.factor),
    accountChanges: records.accountChange && rowsOf(records.accountChange),
    transact: hasTransactions ? (work) => transact(work) : null,
    readForeignKeys: dialect.mayIgnoreForeignKeys && (() => readForeignKeys(access)),
    // After an error, PostgreSQL ignores the rest of a transaction: only the host can go on.
    isMissingTable: (error) => runWithin !== null && isMissingTable(error),
    newUserId: newUserId(records.user, dialect.returnsRows),
    findAccountOwner: async (key) => (await findAccount(key))?.owner ?? null,
    async findSessionAndUser(key) {
      const found = await findSession(key)
      return found && { session: found.owned, user: found.owner }
    },
  }
  async function transact<T>(work: (stores: RecordStores) => Awaitable<T>): Promise<T> {
    if (runWithin === null) return await work(stores)
    return await callTransaction<QueryBuilders, T>({
      run: access.run,
      begin: (begun) => access.db.transaction(begun, dialect.transactionConfig),
      work: (db) => work(drizzleStores(opened, { ...access, db, run: runWithin }, null)),
    })
  }
  return stores
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
