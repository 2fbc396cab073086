import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Awaitable,
  VerificationToken,
} from "@latchkey/core/adapters"
import { andThen } from "./and-then.js"
import { ownedAndOwnerLookup, ownerLookup } from "./sql/owner-lookup.js"
import type { SqlAccess } from "./sql/sql-access.js"
import { type TableRows, tableRows } from "./sql/table-rows.js"
import { TableStatements } from "./sql/table-statements.js"
import type { Table } from "./tables/column.js"

/** Every operation of the contract, and housekeeping. */
export interface SqlAdapter extends Required<Adapter> {
  /**
   * Removes sessions and verification tokens that had expired at an instant (default: now), and says how many they
   * were. Expired rows are refused without it; it only gives their space back. Call it now and then.
   */
  removeExpired(at?: Date): Awaitable<number>
}

type UserMethods = "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "deleteUser"
type AccountMethods = "linkAccount" | "unlinkAccount" | "getAccount"
type SessionMethods = "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession"
type AuthenticatorMethods =
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
type TokenMethods = "createVerificationToken" | "useVerificationToken"

/** The adapter over whatever statements can be run on. */
export function sqlAdapter(access: SqlAccess): SqlAdapter {
  const sessions = toRows<AdapterSession>(access, access.schema.session)
  const tokens = toRows<VerificationToken>(access, access.schema.verificationToken)
  return {
    ...userMethods(access),
    ...accountMethods(toRows(access, access.schema.account)),
    ...sessionMethods(access, sessions),
    ...tokenMethods(tokens),
    ...authenticatorMethods(toRows(access, access.schema.authenticator)),
    removeExpired: (at = new Date()) =>
      andThen(sessions.removeBefore("expires", at), (ended) =>
        andThen(tokens.removeBefore("expires", at), (unused) => ended + unused),
      ),
  }
}

function toRows<T>({ db, dialect, runner }: SqlAccess, table: Table): TableRows<T> {
  return tableRows(new TableStatements<T>(table, db, dialect), runner, dialect)
}

function userMethods(access: SqlAccess): Pick<SqlAdapter, UserMethods> {
  const users = toRows<AdapterUser>(access, access.schema.user)
  const ownerOfAccount = ownerLookup<AdapterUser>(access, access.schema.account)
  return {
    createUser: (user) => users.insert({ ...user, id: user.id ?? crypto.randomUUID() }),
    getUser: (id) => users.find({ id }),
    getUserByEmail: (email) => users.find({ email }),
    getUserByAccount: ownerOfAccount,
    updateUser: ({ id, ...changes }) =>
      andThen(users.update({ id }, changes), (user) => user ?? fail("updateUser: there is no such user")),
    deleteUser: (id) => users.remove({ id }),
  }
}

function accountMethods(accounts: TableRows<AdapterAccount>): Pick<SqlAdapter, AccountMethods> {
  return {
    linkAccount: (account) => accounts.insert(account),
    unlinkAccount: ({ provider, providerAccountId }) =>
      andThen(accounts.remove({ provider, providerAccountId }), (account) => account ?? undefined),
    getAccount: (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
  }
}

function sessionMethods(access: SqlAccess, sessions: TableRows<AdapterSession>): Pick<SqlAdapter, SessionMethods> {
  const lookup = ownedAndOwnerLookup<AdapterSession, AdapterUser>(access, access.schema.session)
  return {
    createSession: (session) => sessions.insert(session),
    getSessionAndUser: (sessionToken) =>
      andThen(lookup({ sessionToken }), (found) => found && { session: found.owned, user: found.owner }),
    updateSession: ({ sessionToken, ...changes }) => sessions.update({ sessionToken }, changes),
    deleteSession: (sessionToken) => sessions.remove({ sessionToken }),
  }
}

function tokenMethods(tokens: TableRows<VerificationToken>): Pick<SqlAdapter, TokenMethods> {
  return {
    createVerificationToken: (token) => tokens.insert(token),
    useVerificationToken: ({ identifier, token }) => tokens.remove({ identifier, token }),
  }
}

function authenticatorMethods(authenticators: TableRows<AdapterAuthenticator>): Pick<SqlAdapter, AuthenticatorMethods> {
  return {
    createAuthenticator: (authenticator) => authenticators.insert(authenticator),
    getAuthenticator: (credentialID) => authenticators.find({ credentialID }),
    listAuthenticatorsByUserId: (userId) => authenticators.list({ userId }),
    updateAuthenticatorCounter: (credentialID, newCounter) =>
      andThen(
        authenticators.raise({ credentialID }, "counter", newCounter),
        (authenticator) => authenticator ?? fail("updateAuthenticatorCounter: there is no such authenticator"),
      ),
  }
}

function fail(message: string): never {
  throw new Error(message)
}
