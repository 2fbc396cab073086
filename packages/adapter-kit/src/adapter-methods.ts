import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Awaitable,
  ImportConflicts,
  ImportedUser,
  ImportKeys,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import { andThen } from "./and-then.js"
import { type FeatureMethods, featureMethods } from "./feature-methods.js"
import type { AccountKey, Key, RecordStore, RecordStores } from "./record-store.js"

interface UserMethods {
  createUser(user: AdapterUser): Awaitable<AdapterUser>
  getUser(id: string): Awaitable<AdapterUser | null>
  getUserByEmail(email: string): Awaitable<AdapterUser | null>
  getUserByAccount(account: AccountKey): Awaitable<AdapterUser | null>
  /** @throws Error when no user has the id */
  updateUser(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  deleteUser(userId: string): Awaitable<AdapterUser | null>
}

interface AccountMethods {
  linkAccount(account: AdapterAccount): Awaitable<AdapterAccount>
  unlinkAccount(account: AccountKey): Awaitable<AdapterAccount | undefined>
  getAccount(providerAccountId: string, provider: string): Awaitable<AdapterAccount | null>
  listAccountsByUserId(userId: string): Awaitable<AdapterAccount[]>
}

interface SessionMethods {
  createSession(session: AdapterSession): Awaitable<AdapterSession>
  getSessionAndUser(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  updateSession(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null>
  deleteSession(sessionToken: string): Awaitable<AdapterSession | null>
}

interface TokenMethods {
  createVerificationToken(token: VerificationToken): Awaitable<VerificationToken>
  useVerificationToken(params: { identifier: string; token: string }): Awaitable<VerificationToken | null>
}

/** The methods of the contract that every adapter has. */
export interface RecordMethods extends UserMethods, AccountMethods, SessionMethods, TokenMethods {}

/** The methods for passkeys that need no more than the first columns of the table. */
export interface AuthenticatorMethods {
  createAuthenticator(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  getAuthenticator(credentialID: string): Awaitable<AdapterAuthenticator | null>
  listAuthenticatorsByUserId(userId: string): Awaitable<AdapterAuthenticator[]>
  /** @throws Error when no authenticator has the id */
  updateAuthenticatorCounter(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
  deleteAuthenticator(credentialID: string): Awaitable<AdapterAuthenticator | null>
}

/** The methods that need tables or columns which a host may not have. */
export interface OptionalMethods {
  /** @throws Error when no authenticator has the id */
  updateAuthenticator(
    changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">,
  ): Awaitable<AdapterAuthenticator>
  consumeOnce(id: string, expires: Date): Awaitable<boolean>
  markEmailVerified(verified: VerifiedEmail): Awaitable<boolean>
  isEmailVerified(user: Pick<AdapterUser, "id" | "email">): Awaitable<boolean>
}

/** What an adapter has beyond the contract. */
export interface Housekeeping {
  /**
   * Deletes the sessions and their details, verification tokens, consumed ids, temporary values, leases and changes of accounts
   * that expired before an instant (default: now), and returns how many there were. The service rejects expired rows anyway; this only
   * frees their space.
   */
  removeExpired(at?: Date): Awaitable<number>
  /**
   * Asks each table for a row that does not exist, for the readiness check of an orchestrator.
   * @throws Error that names what is missing if the database was not migrated, and if it does not answer
   */
  checkStore(): Promise<void>
}

/** What `latchkey import` looks for. */
export interface ImportMethods {
  /**
   * Stores new users with everything that belongs to them, in few statements: all or none.
   * @throws Error if one of them exists, or another user has the address or an account
   */
  storeImported?(users: readonly ImportedUser[]): Awaitable<unknown>
  /** Finds what many new users could be in conflict with, in few statements. A lenient collation may find more. */
  findImported?(keys: ImportKeys): Awaitable<ImportConflicts>
  /** Why no row can have the values of each user: a sentence without them. Null where one can. */
  checkImported?(users: readonly ImportedUser[]): readonly (string | null)[]
}

/** Everything that `adapterMethods` returns. */
export type AdapterMethods = RecordMethods &
  Partial<AuthenticatorMethods & OptionalMethods & FeatureMethods> &
  Pick<Adapter, "transaction"> &
  ImportMethods &
  Housekeeping

/** The same methods, each returning a promise: what they are over stores whose methods are all asynchronous. */
export type Promised<Methods> = {
  [M in keyof Methods]: Methods[M] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Promise<Awaited<R>>
    : never
}

/**
 * The contract's methods over an adapter's stores. A store that answers synchronously makes the methods synchronous.
 * @example return { ...adapterMethods(stores) } as MyAdapter // as: every store answers with a promise
 */
export function adapterMethods(stores: RecordStores): AdapterMethods {
  const { authenticators, consumedIds, verifiedEmails } = stores
  return {
    ...userMethods(stores),
    ...accountMethods(stores),
    ...sessionMethods(stores),
    ...tokenMethods(stores),
    ...(authenticators && authenticatorMethods(authenticators)),
    ...(consumedIds && { consumeOnce: (id: string, expires: Date) => consumedIds.insertOnce({ id, expires }) }),
    ...(verifiedEmails && emailMethods(verifiedEmails)),
    ...featureMethods(stores),
    ...(stores.transact && transactionMethod(stores.transact)),
    ...(stores.transact && canImport(stores) && importMethods(stores.transact)),
    ...(stores.users.listAny && { findImported: (keys: ImportKeys) => findImported(keys, stores) }),
    ...(stores.users.findMistake && {
      checkImported: (users: readonly ImportedUser[]) => users.map((user) => findMistake(user, stores)),
    }),
    ...housekeeping(stores),
  }
}

function userMethods({ users, newUserId, findAccountOwner, readForeignKeys }: RecordStores): UserMethods {
  return {
    createUser: (user) => users.insert({ ...user, id: newUserId(user.id) }),
    getUser: (id) => users.find({ id }),
    getUserByEmail: (email) => users.find({ email }),
    getUserByAccount: ({ provider, providerAccountId }) => findAccountOwner({ provider, providerAccountId }),
    updateUser: ({ id, ...changes }) =>
      andThen(users.update({ id }, changes), (user) => user ?? fail("updateUser: no user has this id")),
    deleteUser: (id) =>
      readForeignKeys ? assertForeignKeys(readForeignKeys).then(() => users.remove({ id })) : users.remove({ id }),
  }
}

/**
 * SQLite deletes a user's records with the user only on a connection with foreign keys on, which most builds leave off:
 * passwords and tokens would stay, and an account could never be linked again.
 */
async function assertForeignKeys(read: NonNullable<RecordStores["readForeignKeys"]>): Promise<void> {
  let setting: unknown
  try {
    setting = await read()
  } catch {
    return // D1 does not show the setting, and has it on.
  }
  if (setting === undefined || Number(setting) !== 0) return
  throw new Error("deleteUser: SQLite ignores foreign keys here. Run `pragma foreign_keys = on` on each connection")
}

function accountMethods({ accounts }: RecordStores): AccountMethods {
  return {
    linkAccount: (account) => accounts.insert(account),
    unlinkAccount: ({ provider, providerAccountId }) =>
      andThen(accounts.remove({ provider, providerAccountId }), (account) => account ?? undefined),
    getAccount: (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: (userId) => accounts.list({ userId }),
  }
}

function sessionMethods({ sessions, findSessionAndUser }: RecordStores): SessionMethods {
  return {
    createSession: (session) => sessions.insert(session),
    getSessionAndUser: (sessionToken) => findSessionAndUser({ sessionToken }),
    updateSession: ({ sessionToken, ...changes }) => sessions.update({ sessionToken }, changes),
    deleteSession: (sessionToken) => sessions.remove({ sessionToken }),
  }
}

function tokenMethods({ verificationTokens }: RecordStores): TokenMethods {
  return {
    createVerificationToken: (token) => verificationTokens.insert(token),
    useVerificationToken: ({ identifier, token }) => verificationTokens.remove({ identifier, token }),
  }
}

function authenticatorMethods(
  authenticators: RecordStore<AdapterAuthenticator>,
): AuthenticatorMethods & Partial<Pick<OptionalMethods, "updateAuthenticator">> {
  const hasDetails = authenticators.hasField("name") && authenticators.hasField("lastUsedAt")
  return {
    createAuthenticator: (authenticator) => authenticators.insert(authenticator),
    getAuthenticator: (credentialID) => authenticators.find({ credentialID }),
    listAuthenticatorsByUserId: (userId) => authenticators.list({ userId }),
    updateAuthenticatorCounter: (credentialID, newCounter) =>
      andThen(
        authenticators.raise({ credentialID }, "counter", newCounter),
        (authenticator) => authenticator ?? fail("updateAuthenticatorCounter: no authenticator has this credentialID"),
      ),
    deleteAuthenticator: (credentialID) => authenticators.remove({ credentialID }),
    ...(hasDetails && authenticatorUpdate(authenticators)),
  }
}

function authenticatorUpdate(
  authenticators: RecordStore<AdapterAuthenticator>,
): Pick<OptionalMethods, "updateAuthenticator"> {
  return {
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      andThen(
        authenticators.update({ credentialID }, { name, lastUsedAt, credentialBackedUp, transports }),
        (authenticator) => authenticator ?? fail("updateAuthenticator: no authenticator has this credentialID"),
      ),
  }
}

function emailMethods(
  verifiedEmails: RecordStore<VerifiedEmail>,
): Pick<OptionalMethods, "markEmailVerified" | "isEmailVerified"> {
  return {
    markEmailVerified: ({ userId, email, provider }) => verifiedEmails.insertOnce({ userId, email, provider }),
    isEmailVerified: ({ id, email }) =>
      andThen(verifiedEmails.find({ userId: id, email }), (verified) => verified !== null),
  }
}

function transactionMethod(transact: NonNullable<RecordStores["transact"]>): Pick<Required<Adapter>, "transaction"> {
  // async: a work that throws at once rejects, too.
  return { transaction: async (work) => await transact(async (within) => await work(adapterMethods(within))) }
}

function canImport(stores: RecordStores): boolean {
  const { users, accounts, passwords, factors, authenticators, verifiedEmails } = stores
  const all = [users, accounts, passwords, factors, authenticators, verifiedEmails]
  return all.every((store) => store === null || store.insertMany !== undefined)
}

function importMethods(transact: NonNullable<RecordStores["transact"]>): Pick<ImportMethods, "storeImported"> {
  return { storeImported: (users) => transact((stores) => insertUsers(users, stores)) }
}

type ImportStore = Pick<RecordStore<unknown>, "insertMany" | "findMistake"> | null

/** The rows of imported users by their tables. The users come first: the other rows refer to them. */
function toImportedRows(
  users: readonly ImportedUser[],
  stores: RecordStores,
): readonly (readonly [ImportStore, readonly object[]])[] {
  const { accounts, passwords, factors, authenticators, verifiedEmails } = stores
  const proofs = verifiedEmails ? users.flatMap(({ verifiedEmail }) => verifiedEmail ?? []) : []
  return [
    [stores.users, users.map(({ user }) => user)],
    [accounts, users.flatMap((each) => each.accounts)],
    [passwords, users.flatMap(({ password }) => password ?? [])],
    [factors, users.flatMap((each) => each.factors)],
    [authenticators, users.flatMap(({ passkeys }) => passkeys)],
    [verifiedEmails, proofs],
  ]
}

function findMistake(user: ImportedUser, stores: RecordStores): string | null {
  for (const [store, records] of toImportedRows([user], stores)) {
    const found = records.map((record) => store?.findMistake?.(record) ?? null).find((mistake) => mistake !== null)
    if (found !== undefined) return found
  }
  return null
}

function insertUsers(users: readonly ImportedUser[], stores: RecordStores): Awaitable<unknown> {
  const insert = (store: ImportStore, records: readonly object[]) =>
    records.length === 0 ? null : (store?.insertMany ?? fail("storeImported: a table is missing"))(records)
  return toImportedRows(users, stores).reduce<Awaitable<unknown>>(
    (before, [store, records]) => andThen(before, () => insert(store, records)),
    null,
  )
}

async function findImported(
  { ids, emails, accounts, credentialIDs }: ImportKeys,
  stores: RecordStores,
): Promise<ImportConflicts> {
  const list = async <T>(store: RecordStore<T> | null, key: Key, field: string, values: readonly string[]) =>
    values.length === 0 ? [] : ((await store?.listAny?.(key, field, values)) ?? [])
  const users = [await list(stores.users, {}, "id", ids), await list(stores.users, {}, "email", emails)]
  const linked: AdapterAccount[] = []
  for (const [provider, group = []] of Map.groupBy(accounts, (account) => account.provider)) {
    const accountIds = group.map((account) => account.providerAccountId)
    linked.push(...(await list(stores.accounts, { provider }, "providerAccountId", accountIds)))
  }
  const authenticators = await list(stores.authenticators, {}, "credentialID", credentialIDs)
  return { users: users.flat(), accounts: linked, authenticators }
}

function housekeeping(stores: RecordStores): Housekeeping {
  const { sessions, verificationTokens, consumedIds, sessionDetails, temporaries, accountChanges } = stores
  const expiring = [sessions, verificationTokens, consumedIds, sessionDetails, temporaries, accountChanges]
  return {
    removeExpired: (at = new Date()) =>
      expiring.reduce<Awaitable<number>>(
        (removed, store) =>
          andThen(removed, (before) => andThen(removeBefore(stores, store, at), (count) => before + count)),
        0,
      ),
    checkStore: () => checkStore(stores),
  }
}

/** Lookups by each key. Their statements name every column. A store whose ids are numbers is not asked for another id. */
function lookups(stores: RecordStores): readonly (() => Awaitable<unknown>)[] {
  const { users, accounts, sessions, verificationTokens, authenticators, consumedIds, verifiedEmails } = stores
  const { temporaries, sessionDetails, passwords, factors, accountChanges } = stores
  const id = crypto.randomUUID()
  return [
    () => users.find({ email: id }),
    () => accounts.find({ provider: id, providerAccountId: id }),
    () => sessions.find({ sessionToken: id }),
    () => verificationTokens.find({ identifier: id, token: id }),
    () => authenticators?.find({ credentialID: id }),
    ...[consumedIds, temporaries, sessionDetails, factors, accountChanges].map((store) => () => store?.find({ id })),
    () => verifiedEmails?.find({ userId: id, email: id }),
    () => passwords?.find({ userId: id }),
  ]
}

/** @throws Error with all that is missing */
async function checkStore(stores: RecordStores): Promise<void> {
  const missing: Error[] = []
  for (const lookUp of lookups(stores)) {
    try {
      await lookUp()
    } catch (error) {
      if (!(error instanceof Error) || !stores.isMissingTable(error)) throw error
      missing.push(error)
    }
  }
  const [cause] = missing
  const sentences = new Set(missing.map(({ message }) => message))
  if (cause) throw sentences.size === 1 ? cause : new Error([...sentences].join("\n"), { cause })
}

/** A database that was not migrated yet has no rows of a table that was added later. */
function removeBefore(
  { isMissingTable }: RecordStores,
  store: Pick<RecordStore<unknown>, "removeBefore"> | null,
  at: Date,
): Awaitable<number> {
  const ignoreMissing = (error: unknown): number => {
    if (isMissingTable(error)) return 0
    throw error
  }
  try {
    const count = store?.removeBefore("expires", at) ?? 0
    return typeof count === "number" ? count : count.then((removed) => removed, ignoreMissing)
  } catch (error) {
    return ignoreMissing(error)
  }
}

function fail(message: string): never {
  throw new Error(message)
}
