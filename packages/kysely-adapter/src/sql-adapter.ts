import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Awaitable,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import { andThen } from "./and-then.js"
import { ownedAndOwnerLookup, ownerLookup } from "./sql/owner-lookup.js"
import type { SqlAccess } from "./sql/sql-access.js"
import { type TableRows, tableRows } from "./sql/table-rows.js"
import { TableStatements } from "./sql/table-statements.js"
import { getColumn, type Table } from "./tables/column.js"
import type { SchemaOptions } from "./tables/schema-options.js"
import type { TypedMethods } from "./typed-methods.js"

type TableOfItsOwn = "consumeOnce" | "markEmailVerified" | "isEmailVerified"

/**
 * Every operation of the contract, and housekeeping. What has a table of its own is there unless that was left out. The
 * type of the options tells which extra fields the records have.
 */
export interface SqlAdapter<O extends SchemaOptions = SchemaOptions>
  extends TypedMethods<O>,
    Pick<Adapter, TableOfItsOwn> {
  /**
   * Removes sessions, verification tokens and what was spent that had expired at an instant (default: now), and says
   * how many they were. Expired rows are refused without it; it only gives their space back. Call it now and then.
   */
  removeExpired(at?: Date): Awaitable<number>
}

type UserMethods = "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "deleteUser"
type AccountMethods = "linkAccount" | "unlinkAccount" | "getAccount" | "listAccountsByUserId"
type SessionMethods = "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession"
type AuthenticatorMethods =
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "updateAuthenticator"
  | "deleteAuthenticator"
type TokenMethods = "createVerificationToken" | "useVerificationToken"

/** The adapter over whatever statements can be run on. */
export function sqlAdapter(access: SqlAccess): SqlAdapter {
  const sessions = toRows<AdapterSession>(access, access.schema.session)
  const tokens = toRows<VerificationToken>(access, access.schema.verificationToken)
  const spent = access.schema.spent && toRows<object>(access, access.schema.spent)
  return {
    ...userMethods(access),
    ...accountMethods(toRows(access, access.schema.account)),
    ...sessionMethods(access, sessions),
    ...tokenMethods(tokens),
    ...authenticatorMethods(toRows(access, access.schema.authenticator)),
    ...(spent && { consumeOnce: (id: string, expires: Date) => spent.insertOnce({ id, expires }) }),
    ...(access.schema.provenEmail && emailMethods(toRows(access, access.schema.provenEmail))),
    removeExpired: (at = new Date()) =>
      andThen(sessions.removeBefore("expires", at), (ended) =>
        andThen(tokens.removeBefore("expires", at), (unused) =>
          andThen(spent?.removeBefore("expires", at) ?? 0, (forgotten) => ended + unused + forgotten),
        ),
      ),
  }
}

function toRows<T>({ db, dialect, runner }: SqlAccess, table: Table): TableRows<T> {
  return tableRows({ statements: new TableStatements<T>(table, db, dialect), runner, returnsRows: dialect.returnsRows })
}

function userMethods(access: SqlAccess): Pick<SqlAdapter, UserMethods> {
  const users = toRows<AdapterUser>(access, access.schema.user)
  const ownerOfAccount = ownerLookup<AdapterUser>(access, access.schema.account)
  return {
    createUser: (user) => users.insert({ ...user, id: newId(access, user.id) }),
    getUser: (id) => users.find({ id }),
    getUserByEmail: (email) => users.find({ email }),
    getUserByAccount: ownerOfAccount,
    updateUser: ({ id, ...changes }) =>
      andThen(users.update({ id }, changes), (user) => user ?? fail("updateUser: there is no such user")),
    deleteUser: (id) => users.remove({ id }),
  }
}

/** Undefined where the database makes the id and can tell which one it made. */
function newId({ schema, dialect }: SqlAccess, given: string | undefined): string | undefined {
  const { kind } = getColumn(schema.user, "id")
  if (kind === "key") return given ?? crypto.randomUUID()
  return kind === "integerKey" || dialect.returnsRows ? undefined : crypto.randomUUID()
}

function accountMethods(accounts: TableRows<AdapterAccount>): Pick<SqlAdapter, AccountMethods> {
  return {
    linkAccount: (account) => accounts.insert(account),
    unlinkAccount: ({ provider, providerAccountId }) =>
      andThen(accounts.remove({ provider, providerAccountId }), (account) => account ?? undefined),
    getAccount: (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: (userId) => accounts.list({ userId }),
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

function emailMethods(
  proven: TableRows<VerifiedEmail>,
): Required<Pick<Adapter, "markEmailVerified" | "isEmailVerified">> {
  return {
    markEmailVerified: ({ userId, email, provider }) => proven.insertOnce({ userId, email, provider }),
    isEmailVerified: ({ id, email }) => andThen(proven.find({ userId: id, email }), (found) => found !== null),
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
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      andThen(
        authenticators.update({ credentialID }, { name, lastUsedAt, credentialBackedUp, transports }),
        (authenticator) => authenticator ?? fail("updateAuthenticator: there is no such authenticator"),
      ),
    deleteAuthenticator: (credentialID) => authenticators.remove({ credentialID }),
  }
}

function fail(message: string): never {
  throw new Error(message)
}
