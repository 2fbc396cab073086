import type {
  AdapterAccount,
  AdapterAccountChange,
  AdapterAuthenticator,
  AdapterFactor,
  AdapterSession,
  AdapterSessionDetail,
  AdapterUser,
  Awaitable,
  StoredPassword,
  TemporaryRecord,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"

/** The values of the fields that identify rows, by field. */
export type Key = Readonly<Record<string, unknown>>

/** What a row's `expires` must be: later than an instant, or not. */
export type Lifetime = { readonly after: Date } | { readonly until: Date }

/**
 * The rows of one table, as records of the contract. Concurrent callers are serialized by the database alone: by its
 * constraints and single statements.
 */
export interface RecordStore<T> {
  /** Whether the table has a column for the field. */
  hasField(field: string): boolean
  find(key: Key): Awaitable<T | null>
  list(key: Key): Awaitable<T[]>
  /** Writes the fields that have a column. Throws when a unique column already contains the value. */
  insert(record: object): Awaitable<T>
  /** Inserts many rows in few statements, in a transaction of the caller. Absent if the store has no such statements. */
  readonly insertMany?: ((records: readonly object[]) => Awaitable<unknown>) | undefined
  /** Why no row can have the values of a record: a sentence without them. Null if one can. Absent if the store cannot tell. */
  readonly findMistake?: ((record: object) => string | null) | undefined
  /**
   * The rows that have a key and one of many values in a field, in few statements. A lenient collation may return more. Absent
   * if the store has no such statements.
   */
  readonly listAny?: ((key: Key, field: string, values: readonly string[]) => Awaitable<T[]>) | undefined
  /** Returns true if this call inserted the row, false if a row with the key exists already. */
  insertOnce(record: object): Awaitable<boolean>
  /** Returns the changed row, or null when no row has the key. Never inserts one. */
  update(key: Key, changes: object): Awaitable<T | null>
  /**
   * Compares and sets in one statement: returns the row if this call's statement changed it, or null if no row has the key
   * and lifetime. The key may contain any field besides those that identify the row.
   */
  updateIf(key: Key, changes: object, lifetime?: Lifetime): Awaitable<T | null>
  /** Sets a number unless the stored one is larger. Returns null when no row has the key. */
  raise(key: Key, field: string, value: number): Awaitable<T | null>
  /** Deletes a row and returns it to the one caller whose statement deleted it; null to all others. */
  remove(key: Key): Awaitable<T | null>
  /** Deletes the rows whose field has one of the values, and returns how many rows this call deleted. */
  removeAll(field: string, values: readonly string[]): Awaitable<number>
  /**
   * Lists rows and locks them until the transaction ends. A concurrent transaction that locks the same rows waits. Must be
   * the first statement of the transaction, so that the list contains what others wrote before.
   */
  lock(key: Key): Awaitable<T[]>
  /** Deletes the rows whose date is before the instant, in batches (`removeInBatches`), and returns how many there were. */
  removeBefore(field: string, instant: Date): Awaitable<number>
}

/** The key of an account. */
export type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** The stores of an adapter. A null store leaves out the methods that need it. */
export interface RecordStores {
  readonly users: RecordStore<AdapterUser>
  readonly accounts: RecordStore<AdapterAccount>
  readonly sessions: RecordStore<AdapterSession>
  readonly verificationTokens: RecordStore<VerificationToken>
  readonly authenticators: RecordStore<AdapterAuthenticator> | null
  readonly consumedIds: RecordStore<object> | null
  readonly verifiedEmails: RecordStore<VerifiedEmail> | null
  readonly temporaries: RecordStore<TemporaryRecord> | null
  readonly sessionDetails: RecordStore<AdapterSessionDetail> | null
  readonly passwords: RecordStore<StoredPassword> | null
  readonly factors: RecordStore<AdapterFactor> | null
  readonly accountChanges: RecordStore<AdapterAccountChange> | null
  /**
   * Runs the work with stores in a transaction, which is rolled back if the work throws. Stores that are already in a
   * transaction join it. Null if the driver has no transactions.
   */
  readonly transact: (<T>(work: (stores: RecordStores) => Awaitable<T>) => Awaitable<T>) | null
  /**
   * Reads SQLite's setting `foreign_keys`, 0 or 1, of a connection that the host opened. Without the function, the database
   * deletes a user's records with the user in any case.
   */
  readonly readForeignKeys?: (() => Awaitable<unknown>) | undefined
  /** Whether an error means that a table does not exist: the database was not migrated yet. */
  isMissingTable(error: unknown): boolean
  /** The id to insert for a new user, given the one the service proposes; undefined if the database generates it. */
  newUserId(proposed: string | undefined): unknown
  /** The user who owns an account, in one statement. */
  findAccountOwner(key: AccountKey): Awaitable<AdapterUser | null>
  /** A session and its user, in one statement: the lookup of every request with a stored session. */
  findSessionAndUser(
    key: Pick<AdapterSession, "sessionToken">,
  ): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
}
