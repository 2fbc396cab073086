import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"
import { createFeatureTables, type FeatureTables, featureMethods } from "./memory-features.js"
import { MemoryTable } from "./memory-table.js"

type Method = keyof Adapter

/** A call of a method, with a copy of its arguments. */
export interface AdapterCall {
  readonly method: Method
  readonly args: readonly unknown[]
}

/** An adapter in memory that records its calls. */
export interface MemoryAdapter extends Required<Adapter> {
  /** All calls so far, oldest first. */
  readonly calls: readonly AdapterCall[]
}

interface Tables extends FeatureTables {
  readonly users: MemoryTable<AdapterUser>
  readonly accounts: MemoryTable<AdapterAccount>
  readonly sessions: MemoryTable<AdapterSession>
  readonly tokens: MemoryTable<VerificationToken>
  readonly authenticators: MemoryTable<AdapterAuthenticator>
  readonly consumed: MemoryTable<ConsumedId>
  readonly verifiedEmails: MemoryTable<VerifiedEmail>
}

interface ConsumedId {
  readonly id: string
  readonly expires: Date
}

/**
 * Creates a complete adapter in memory, for tests. It copies records on the way in and out, enforces unique values, and
 * records its calls. Spread it to omit or replace a method.
 * @example const { useVerificationToken, ...incomplete } = memoryAdapter()
 */
export function memoryAdapter(): MemoryAdapter {
  const tables: Tables = {
    users: new MemoryTable("user", [["id"], ["email"]]),
    accounts: new MemoryTable("account", [["provider", "providerAccountId"]]),
    sessions: new MemoryTable("session", [["sessionToken"]]),
    tokens: new MemoryTable("verification token", [["identifier", "token"]]),
    authenticators: new MemoryTable("authenticator", [["credentialID"]]),
    consumed: new MemoryTable("consumed id", [["id"]]),
    verifiedEmails: new MemoryTable("verified email", [["userId", "email"]]),
    ...createFeatureTables(),
  }
  const calls: AdapterCall[] = []
  const methods = {
    ...userMethods(tables),
    ...accountMethods(tables),
    ...sessionMethods(tables),
    ...tokenMethods(tables),
    ...authenticatorMethods(tables),
    ...replayMethods(tables),
    ...verifiedEmailMethods(tables),
    ...featureMethods(tables),
  }
  return { ...withTransactions(recorded(methods, calls), Object.values(tables)), calls }
}

type Methods = Omit<Required<Adapter>, "transaction">

/**
 * Adds `transaction`. While one runs, all calls from outside of it wait. Methods that replace those of the adapter work in a
 * transaction, too.
 */
function withTransactions(methods: Methods, tables: readonly MemoryTable<object>[]): Required<Adapter> {
  let running: Promise<unknown> | null = null
  // A method that replaces another one may call it: then it must not wait for the transaction that it is part of.
  let replacing = 0
  const waiting = Object.entries(methods).map(([method, run]) => [
    method,
    async (...args: unknown[]) => {
      while (running && replacing === 0) await running
      return Reflect.apply(run, undefined, args)
    },
  ])
  const outside: Methods = Object.fromEntries(waiting)

  function openInside(adapter: unknown): Required<Adapter> {
    const given = Object.entries(adapter ?? {}).filter(([name]) => name in outside)
    const replaced = given.filter(([name, run]) => typeof run === "function" && run !== Reflect.get(outside, name))
    const wrapped = replaced.map(([name, run]) => [
      name,
      async (...args: unknown[]) => {
        replacing += 1
        try {
          return await Reflect.apply(run, adapter, args)
        } finally {
          replacing -= 1
        }
      },
    ])
    const inside: Required<Adapter> = {
      ...methods,
      ...Object.fromEntries(wrapped),
      transaction: async (work) => work(inside),
    }
    return inside
  }

  return {
    ...outside,
    async transaction(this: unknown, work: (adapter: Adapter) => Promise<unknown>) {
      while (running) await running
      const restores = tables.map((table) => table.snapshot())
      const result = work(openInside(this))
      running = result.catch(() => {})
      try {
        return await result
      } catch (error) {
        for (const restore of restores) restore()
        throw error
      } finally {
        running = null
      }
    },
  } as Required<Adapter> // as: the result of a transaction is that of its work
}

/** Wraps each method to record its calls. */
function recorded(methods: Methods, calls: AdapterCall[]): Methods {
  const wrapped = Object.entries(methods).map(([method, run]) => [
    method,
    (...args: unknown[]) => {
      calls.push({ method: method as Method, args: structuredClone(args) }) // as: the keys of an adapter are its methods
      return Reflect.apply(run, undefined, args)
    },
  ])
  return Object.fromEntries(wrapped)
}

function userMethods(tables: Tables) {
  const { users, accounts, sessions, authenticators, verifiedEmails, sessionDetails, passwords, factors } = tables
  const { accountChanges } = tables
  const owned = [accounts, sessions, authenticators, verifiedEmails, sessionDetails, passwords, factors, accountChanges]
  return {
    createUser: async (user: AdapterUser) => users.insert({ ...user, id: user.id ?? crypto.randomUUID() }),
    getUser: async (id: string) => users.find({ id }),
    getUserByEmail: async (email: string) => users.find({ email }),
    async getUserByAccount({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) {
      const account = accounts.find({ provider, providerAccountId })
      return account && users.find({ id: account.userId })
    },
    async updateUser({ id, ...changes }: Partial<AdapterUser> & Pick<AdapterUser, "id">) {
      return users.update({ id }, changes) ?? fail("updateUser: no such user")
    },
    async deleteUser(id: string) {
      for (const table of owned) table.removeAll({ userId: id })
      return users.remove({ id })
    },
  }
}

function accountMethods({ accounts, users }: Tables) {
  return {
    async linkAccount(account: AdapterAccount) {
      users.assertHas({ id: account.userId })
      return accounts.insert(account)
    },
    async unlinkAccount({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) {
      return accounts.remove({ provider, providerAccountId }) ?? undefined
    },
    getAccount: async (providerAccountId: string, provider: string) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: async (userId: string) => accounts.list({ userId }),
  }
}

function sessionMethods({ sessions, sessionDetails, users }: Tables) {
  return {
    async createSession(session: AdapterSession) {
      users.assertHas({ id: session.userId })
      return sessions.insert(session)
    },
    async getSessionAndUser(sessionToken: string) {
      const session = sessions.find({ sessionToken })
      const user = session && users.find({ id: session.userId })
      return session && user && { session, user }
    },
    async updateSession({ sessionToken, ...changes }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">) {
      return sessions.update({ sessionToken }, changes)
    },
    async deleteSession(sessionToken: string) {
      sessionDetails.removeAll({ sessionToken })
      return sessions.remove({ sessionToken })
    },
  }
}

function tokenMethods({ tokens }: Tables) {
  return {
    createVerificationToken: async (token: VerificationToken) => tokens.insert(token),
    async useVerificationToken({ identifier, token }: { identifier: string; token: string }) {
      return tokens.remove({ identifier, token })
    },
  }
}

function authenticatorMethods({ authenticators, users }: Tables) {
  return {
    async createAuthenticator(authenticator: AdapterAuthenticator) {
      users.assertHas({ id: authenticator.userId })
      return authenticators.insert(authenticator)
    },
    getAuthenticator: async (credentialID: string) => authenticators.find({ credentialID }),
    listAuthenticatorsByUserId: async (userId: string) => authenticators.list({ userId }),
    async updateAuthenticatorCounter(credentialID: string, newCounter: number) {
      const found = authenticators.find({ credentialID }) ?? fail("updateAuthenticatorCounter: no such authenticator")
      const counter = Math.max(found.counter, newCounter)
      return authenticators.update({ credentialID }, { counter }) ?? found
    },
    async updateAuthenticator(changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">) {
      const { credentialID, name, lastUsedAt, credentialBackedUp, transports } = changes
      // as: undefined values leave a field unchanged
      const kept = { name, lastUsedAt, credentialBackedUp, transports } as Partial<AdapterAuthenticator>
      return authenticators.update({ credentialID }, kept) ?? fail("updateAuthenticator: no such authenticator")
    },
    deleteAuthenticator: async (credentialID: string) => authenticators.remove({ credentialID }),
  }
}

function replayMethods({ consumed }: Tables) {
  return {
    async consumeOnce(id: string, expires: Date) {
      if (consumed.find({ id })) return false
      consumed.insert({ id, expires })
      return true
    },
  }
}

function verifiedEmailMethods({ verifiedEmails, users }: Tables) {
  return {
    async markEmailVerified({ userId, email, provider }: VerifiedEmail) {
      users.assertHas({ id: userId })
      if (!verifiedEmails.find({ userId, email })) verifiedEmails.insert({ userId, email, provider })
    },
    isEmailVerified: async ({ id, email }: Pick<AdapterUser, "id" | "email">) =>
      verifiedEmails.find({ userId: id, email }) !== null,
  }
}

function fail(message: string): never {
  throw new Error(message)
}
