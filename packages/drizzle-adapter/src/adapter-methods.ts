import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import type { OwnedAndOwner } from "./statements/owner-lookup.js"
import type { TableRows } from "./statements/table-rows.js"
import type { Key } from "./statements/table-statements.js"

/** Methods of the contract as they are here: each with a promise. */
type Methods<Name extends keyof Adapter> = {
  [M in Name]: (
    ...parameters: Parameters<Required<Adapter>[M]>
  ) => Promise<WithoutVoid<Awaited<ReturnType<Required<Adapter>[M]>>>>
}

type WithoutVoid<T> = Exclude<T, void> | Extract<undefined, T>

type UserMethods = Methods<
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "deleteUser"
>
type AccountMethods = Methods<"linkAccount" | "unlinkAccount" | "getAccount" | "listAccountsByUserId">
type SessionMethods = Methods<"createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">
type TokenMethods = Methods<"createVerificationToken" | "useVerificationToken">
type AuthenticatorMethods = Methods<
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "deleteAuthenticator"
>
type ChangingAuthenticators = Methods<"updateAuthenticator">
type SpendingMethods = Methods<"consumeOnce">
type EmailMethods = Methods<"markEmailVerified" | "isEmailVerified">

/** Every operation that there is a table for whatever the host's tables are. */
export type RecordMethods = UserMethods & AccountMethods & SessionMethods & TokenMethods & AuthenticatorMethods

/** Those that need tables or columns that not every host has. */
export type OptionalMethods = Partial<ChangingAuthenticators & SpendingMethods & EmailMethods>

type Lookup<Owned> = (key: Key) => Promise<OwnedAndOwner<Owned, AdapterUser> | null>

interface UserAccess {
  readonly users: TableRows<AdapterUser>
  readonly ownerOfAccount: Lookup<unknown>
  /** The id with which a user is written; undefined where the database makes it. */
  newId(given: string | undefined): unknown
}

export function userMethods({ users, ownerOfAccount, newId }: UserAccess): UserMethods {
  return {
    createUser: (user) => users.insert({ ...user, id: newId(user.id) }),
    getUser: (id) => users.find({ id }),
    getUserByEmail: (email) => users.find({ email }),
    getUserByAccount: async ({ provider, providerAccountId }) =>
      (await ownerOfAccount({ provider, providerAccountId }))?.owner ?? null,
    updateUser: async ({ id, ...changes }) =>
      (await users.update({ id }, changes)) ?? fail("updateUser: there is no such user"),
    deleteUser: (id) => users.remove({ id }),
  }
}

export function accountMethods(accounts: TableRows<AdapterAccount>): AccountMethods {
  return {
    linkAccount: (account) => accounts.insert(account),
    unlinkAccount: async ({ provider, providerAccountId }) =>
      (await accounts.remove({ provider, providerAccountId })) ?? undefined,
    getAccount: (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: (userId) => accounts.list({ userId }),
  }
}

export function sessionMethods(sessions: TableRows<AdapterSession>, lookup: Lookup<AdapterSession>): SessionMethods {
  return {
    createSession: (session) => sessions.insert(session),
    async getSessionAndUser(sessionToken) {
      const found = await lookup({ sessionToken })
      return found && { session: found.owned, user: found.owner }
    },
    updateSession: ({ sessionToken, ...changes }) => sessions.update({ sessionToken }, changes),
    deleteSession: (sessionToken) => sessions.remove({ sessionToken }),
  }
}

export function tokenMethods(tokens: TableRows<VerificationToken>): TokenMethods {
  return {
    createVerificationToken: (token) => tokens.insert(token),
    useVerificationToken: ({ identifier, token }) => tokens.remove({ identifier, token }),
  }
}

export function authenticatorMethods(authenticators: TableRows<AdapterAuthenticator>): AuthenticatorMethods {
  return {
    createAuthenticator: (authenticator) => authenticators.insert(authenticator),
    getAuthenticator: (credentialID) => authenticators.find({ credentialID }),
    listAuthenticatorsByUserId: (userId) => authenticators.list({ userId }),
    updateAuthenticatorCounter: async (credentialID, newCounter) =>
      (await authenticators.raise({ credentialID }, "counter", newCounter)) ??
      fail("updateAuthenticatorCounter: there is no such authenticator"),
    deleteAuthenticator: (credentialID) => authenticators.remove({ credentialID }),
  }
}

export function changingAuthenticators(authenticators: TableRows<AdapterAuthenticator>): ChangingAuthenticators {
  return {
    updateAuthenticator: async ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      (await authenticators.update({ credentialID }, { name, lastUsedAt, credentialBackedUp, transports })) ??
      fail("updateAuthenticator: there is no such authenticator"),
  }
}

export function spendingMethods(spent: TableRows<unknown>): SpendingMethods {
  return { consumeOnce: (id, expires) => spent.insertOnce({ id, expires }) }
}

export function emailMethods(proven: TableRows<VerifiedEmail>): EmailMethods {
  return {
    markEmailVerified: ({ userId, email, provider }) => proven.insertOnce({ userId, email, provider }),
    isEmailVerified: async ({ id, email }) => (await proven.find({ userId: id, email })) !== null,
  }
}

function fail(message: string): never {
  throw new Error(message)
}
