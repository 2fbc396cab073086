import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import type { ModelRecords } from "./records/model-records.js"

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

/** Every operation that there is a model for in every host's schema. */
export type RecordMethods = UserMethods & AccountMethods & SessionMethods & TokenMethods

/** Those that need models or fields that not every host has. */
export type OptionalMethods = Partial<AuthenticatorMethods & ChangingAuthenticators & SpendingMethods & EmailMethods>

/** The relation of accounts and sessions to their user. */
const owner = "user"

export function userMethods(users: ModelRecords<AdapterUser>, accounts: ModelRecords<AdapterAccount>): UserMethods {
  return {
    // The schema makes the id, as the host wants it.
    createUser: ({ id: _, ...user }) => users.insert(user),
    getUser: (id) => users.find({ id }),
    getUserByEmail: (email) => users.find({ email }),
    async getUserByAccount({ provider, providerAccountId }) {
      const found = await accounts.findWith({ provider, providerAccountId }, owner)
      return found && users.read(found.owner)
    },
    updateUser: async ({ id, ...changes }) =>
      (await users.update({ id }, changes)) ?? fail("updateUser: there is no such user"),
    deleteUser: (id) => users.remove({ id }),
  }
}

export function accountMethods(accounts: ModelRecords<AdapterAccount>): AccountMethods {
  return {
    linkAccount: (account) => accounts.insert(account),
    unlinkAccount: async ({ provider, providerAccountId }) =>
      (await accounts.remove({ provider, providerAccountId })) ?? undefined,
    getAccount: (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: (userId) => accounts.list({ userId }),
  }
}

export function sessionMethods(
  sessions: ModelRecords<AdapterSession>,
  users: ModelRecords<AdapterUser>,
): SessionMethods {
  return {
    createSession: (session) => sessions.insert(session),
    async getSessionAndUser(sessionToken) {
      const found = await sessions.findWith({ sessionToken }, owner)
      return found && { session: found.row, user: users.read(found.owner) }
    },
    updateSession: ({ sessionToken, ...changes }) => sessions.update({ sessionToken }, changes),
    deleteSession: (sessionToken) => sessions.remove({ sessionToken }),
  }
}

export function tokenMethods(tokens: ModelRecords<VerificationToken>): TokenMethods {
  return {
    createVerificationToken: (token) => tokens.insert(token),
    useVerificationToken: ({ identifier, token }) => tokens.remove({ identifier, token }),
  }
}

export function authenticatorMethods(authenticators: ModelRecords<AdapterAuthenticator>): AuthenticatorMethods {
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

export function changingAuthenticators(authenticators: ModelRecords<AdapterAuthenticator>): ChangingAuthenticators {
  return {
    updateAuthenticator: async ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      (await authenticators.update({ credentialID }, { name, lastUsedAt, credentialBackedUp, transports })) ??
      fail("updateAuthenticator: there is no such authenticator"),
  }
}

export function spendingMethods(spent: ModelRecords<object>): SpendingMethods {
  return { consumeOnce: (id, expires) => spent.insertOnce({ id, expires }) }
}

export function emailMethods(proven: ModelRecords<VerifiedEmail>): EmailMethods {
  return {
    markEmailVerified: ({ userId, email, provider }) => proven.insertOnce({ userId, email, provider }),
    isEmailVerified: async ({ id, email }) => (await proven.find({ userId: id, email })) !== null,
  }
}

function fail(message: string): never {
  throw new Error(message)
}
