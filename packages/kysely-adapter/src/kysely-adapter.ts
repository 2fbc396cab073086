import { adapterMethods, andThen, type Housekeeping, isMissingTable, type RecordStores } from "@latchkey/adapter-kit"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterFeatures,
  AdapterSession,
  AdapterUser,
  Awaitable,
  StoreDefect,
  VerificationToken,
} from "@latchkey/core/adapters"
import { sql } from "kysely"
import { type DatabaseKind, resolveDialect } from "./sql/dialect.js"
import { explainHostTable } from "./sql/host-table.js"
import { explainMissing } from "./sql/missing-tables.js"
import { type AnyKysely, kyselyRunner, overAnyTables } from "./sql/runner.js"
import { lockDatabase, ownedAndOwnerLookup, ownerLookup, type SqlAccess, tableRows } from "./sql/table-rows.js"
import { resolveSchema } from "./tables/schema.js"
import type { SchemaOptions } from "./tables/schema-options.js"
import { type ColumnKind, getColumn, type Table } from "./tables/table.js"

/** How your tables differ from the default ones, and which database they are in. */
export interface KyselyAdapterOptions extends SchemaOptions {
  /** Default: detected from the instance's dialect. Required if that is not one of Kysely's own or derived from one. */
  readonly database?: DatabaseKind | undefined
}

type MethodsWithOwnTable =
  | "consumeOnce"
  | "markEmailVerified"
  | "isEmailVerified"
  | "transaction"
  | keyof AdapterFeatures

/**
 * The methods of the contract, and housekeeping. A method whose table you left out is absent. The records contain the
 * extra fields that the options declare.
 */
export interface SqlAdapter<O extends SchemaOptions = SchemaOptions>
  extends TypedMethods<O>,
    Pick<Adapter, MethodsWithOwnTable>,
    Housekeeping {
  /**
   * What is wrong with the tables that exist: unique indexes that are missing, columns for tokens that are too short, columns
   * for ids that take different texts for equal; and a clock that differs. Reads the catalog of the database alone.
   */
  findStoreDefects(): Promise<readonly StoreDefect[]>
}

/**
 * Stores records in the tables of your own Kysely instance. The tables must exist: see `migrate`.
 *
 * Each method is one statement (two if the database cannot return the rows it wrote), so uniqueness and single use hold
 * across any number of processes. If you pass a transaction, everything happens within it.
 * @throws TypeError when an option is invalid or the dialect is not recognized
 */
export function KyselyAdapter<const O extends KyselyAdapterOptions = KyselyAdapterOptions>(
  db: AnyKysely,
  options?: O,
): SqlAdapter<O> {
  const dialect = resolveDialect(db, options?.database)
  return sqlAdapter({
    schema: resolveSchema(options ?? {}),
    dialect,
    db: overAnyTables(db),
    runner: kyselyRunner(db, dialect.isolation),
    transactions: db.isTransaction ? "joined" : "own",
    isHostInstance: true,
  }) as SqlAdapter<O> // as: the records contain the extra columns of the schema
}

/** The adapter for a database, however its statements are run. */
export function sqlAdapter(access: SqlAccess): SqlAdapter {
  const methods = adapterMethods(sqlStores(explainMissing(access)))
  const findStoreDefects = async () => (await import("./migrations/store-defects.js")).findStoreDefects(access)
  return { ...methods, findStoreDefects } as SqlAdapter // as: there is always a table of authenticators, with all its columns
}

function sqlStores(access: SqlAccess): RecordStores {
  const { schema, transactions } = access
  const rowsOf = <T>(table: Table) => tableRows<T>(access, table)
  const featureRowsOf = <T>(table: Table, option: string) =>
    table.isUnclaimed
      ? explainHostTable(rowsOf<T>(table), { table, option, isJoined: transactions === "joined" })
      : rowsOf<T>(table)
  const findSession = ownedAndOwnerLookup<AdapterSession, AdapterUser>(access, schema.session)
  return {
    users: rowsOf(schema.user),
    accounts: rowsOf(schema.account),
    sessions: rowsOf(schema.session),
    verificationTokens: rowsOf(schema.verificationToken),
    authenticators: rowsOf(schema.authenticator),
    consumedIds: schema.spent && rowsOf(schema.spent),
    verifiedEmails: schema.provenEmail && rowsOf(schema.provenEmail),
    temporaries: schema.temporary && featureRowsOf(schema.temporary, "temporary"),
    sessionDetails: schema.sessionDetail && featureRowsOf(schema.sessionDetail, "sessionDetail"),
    passwords: schema.password && featureRowsOf(schema.password, "password"),
    factors: schema.factor && featureRowsOf(schema.factor, "factor"),
    accountChanges: schema.accountChange && featureRowsOf(schema.accountChange, "accountChange"),
    transact: transactions === "none" ? null : (work) => transact(access, work),
    readForeignKeys: foreignKeysReader(access),
    // After an error, PostgreSQL ignores the rest of a transaction: only the host can go on.
    isMissingTable: (error) => transactions !== "joined" && isMissingTable(error),
    newUserId: (proposed) => newUserId(access, proposed),
    findAccountOwner: ownerLookup<AdapterUser>(access, schema.account),
    findSessionAndUser: (key) =>
      andThen(findSession(key), (found) => found && { session: found.owned, user: found.owner }),
  }
}

/** The setting of a connection that the host opened; our own have it on. */
function foreignKeysReader({ db, dialect, runner, isHostInstance }: SqlAccess): RecordStores["readForeignKeys"] {
  if (dialect.kind !== "sqlite" || !isHostInstance) return undefined
  const setting = sql`select foreign_keys as c0 from pragma_foreign_keys`.compile(db)
  return () => andThen(runner.find({ ...setting, parameters: [] }), (row) => row && Object.values(row)[0])
}

function transact<T>(access: SqlAccess, work: (stores: RecordStores) => Awaitable<T>): Awaitable<T> {
  return access.runner.transact((runner) =>
    andThen(lockDatabase(access, runner), () => work(sqlStores({ ...access, runner }))),
  )
}

/** Undefined if the database generates the id and can return it. */
function newUserId({ schema, dialect }: SqlAccess, proposed: string | undefined): string | undefined {
  const { kind } = getColumn(schema.user, "id")
  if (kind === "key") return proposed ?? crypto.randomUUID()
  return kind === "integerKey" || dialect.returnsRows ? undefined : crypto.randomUUID()
}

type Field<Kind> = Kind extends "number"
  ? number
  : Kind extends "boolean"
    ? boolean
    : Kind extends "date"
      ? Date
      : string

/** The fields that the extra columns of a table add to its records. */
export type ExtraFields<Table> = Table extends {
  readonly extra: infer Extra extends Readonly<Record<string, ColumnKind>>
}
  ? { -readonly [F in keyof Extra]: Field<Extra[F]> | null }
  : unknown

type Read<T, Table> = T & ExtraFields<Table>
type Written<T, Table> = T & Partial<ExtraFields<Table>>
type Changed<T, Key extends keyof T, Table> = Partial<Written<T, Table>> & Pick<T, Key>

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** The methods of the contract, for records with your extra columns. */
export interface TypedMethods<O extends SchemaOptions> {
  createUser(user: Written<AdapterUser, O["user"]>): Awaitable<Read<AdapterUser, O["user"]>>
  getUser(id: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  getUserByEmail(email: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  getUserByAccount(account: AccountKey): Awaitable<Read<AdapterUser, O["user"]> | null>
  /** @throws Error when no user has the id */
  updateUser(user: Changed<AdapterUser, "id", O["user"]>): Awaitable<Read<AdapterUser, O["user"]>>
  deleteUser(userId: string): Awaitable<Read<AdapterUser, O["user"]> | null>
  linkAccount(account: Written<AdapterAccount, O["account"]>): Awaitable<Read<AdapterAccount, O["account"]>>
  unlinkAccount(account: AccountKey): Awaitable<Read<AdapterAccount, O["account"]> | undefined>
  getAccount(providerAccountId: string, provider: string): Awaitable<Read<AdapterAccount, O["account"]> | null>
  listAccountsByUserId(userId: string): Awaitable<Read<AdapterAccount, O["account"]>[]>
  createSession(session: Written<AdapterSession, O["session"]>): Awaitable<Read<AdapterSession, O["session"]>>
  getSessionAndUser(sessionToken: string): Awaitable<{
    session: Read<AdapterSession, O["session"]>
    user: Read<AdapterUser, O["user"]>
  } | null>
  updateSession(
    session: Changed<AdapterSession, "sessionToken", O["session"]>,
  ): Awaitable<Read<AdapterSession, O["session"]> | null>
  deleteSession(sessionToken: string): Awaitable<Read<AdapterSession, O["session"]> | null>
  createVerificationToken(
    token: Written<VerificationToken, O["verificationToken"]>,
  ): Awaitable<Read<VerificationToken, O["verificationToken"]>>
  useVerificationToken(params: {
    identifier: string
    token: string
  }): Awaitable<Read<VerificationToken, O["verificationToken"]> | null>
  createAuthenticator(
    authenticator: Written<AdapterAuthenticator, O["authenticator"]>,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  getAuthenticator(credentialID: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]> | null>
  listAuthenticatorsByUserId(userId: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>[]>
  /** @throws Error when no authenticator has the id */
  updateAuthenticatorCounter(
    credentialID: string,
    newCounter: number,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  /** @throws Error when no authenticator has the id */
  updateAuthenticator(
    changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">,
  ): Awaitable<Read<AdapterAuthenticator, O["authenticator"]>>
  deleteAuthenticator(credentialID: string): Awaitable<Read<AdapterAuthenticator, O["authenticator"]> | null>
}
