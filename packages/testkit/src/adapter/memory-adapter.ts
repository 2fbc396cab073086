import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
  VerifiedEmail,
} from "@latchkey/core/adapters"

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

interface Tables {
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
 * records its calls. Its methods do not depend on `this`: spread it to omit or replace a method.
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
  }
  return { ...recorded(methods, calls), calls }
}

/** Wraps each method to record its calls. */
function recorded(methods: Required<Adapter>, calls: AdapterCall[]): Required<Adapter> {
  const wrapped = Object.entries(methods).map(([method, run]) => [
    method,
    (...args: unknown[]) => {
      calls.push({ method: method as Method, args: structuredClone(args) }) // as: the keys of an adapter are its methods
      return Reflect.apply(run, undefined, args)
    },
  ])
  return Object.fromEntries(wrapped)
}

function userMethods({ users, accounts, sessions, authenticators, verifiedEmails }: Tables) {
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
      for (const owned of [accounts, sessions, authenticators, verifiedEmails]) owned.removeAll({ userId: id })
      return users.remove({ id })
    },
  }
}

function accountMethods({ accounts, users }: Tables) {
  return {
    async linkAccount(account: AdapterAccount) {
      assertUser(users, account.userId)
      return accounts.insert(account)
    },
    async unlinkAccount({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) {
      return accounts.remove({ provider, providerAccountId }) ?? undefined
    },
    getAccount: async (providerAccountId: string, provider: string) => accounts.find({ provider, providerAccountId }),
    listAccountsByUserId: async (userId: string) => accounts.list({ userId }),
  }
}

function sessionMethods({ sessions, users }: Tables) {
  return {
    async createSession(session: AdapterSession) {
      assertUser(users, session.userId)
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
    deleteSession: async (sessionToken: string) => sessions.remove({ sessionToken }),
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
      assertUser(users, authenticator.userId)
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
      assertUser(users, userId)
      if (!verifiedEmails.find({ userId, email })) verifiedEmails.insert({ userId, email, provider })
    },
    isEmailVerified: async ({ id, email }: Pick<AdapterUser, "id" | "email">) =>
      verifiedEmails.find({ userId: id, email }) !== null,
  }
}

function assertUser(users: MemoryTable<AdapterUser>, id: string): void {
  if (users.find({ id }) === null) fail("no such user")
}

function fail(message: string): never {
  throw new Error(message)
}

/** A table with unique keys. Records are copied on the way in and out. */
class MemoryTable<T extends object> {
  readonly #name: string
  readonly #unique: readonly (readonly (keyof T)[])[]
  #records: readonly T[] = []

  constructor(name: string, unique: readonly (readonly (keyof T)[])[]) {
    this.#name = name
    this.#unique = unique
  }

  list(key: Partial<T>): T[] {
    return structuredClone(this.#records.filter((record) => matches(record, key)))
  }

  find(key: Partial<T>): T | null {
    return this.list(key)[0] ?? null
  }

  /** @throws Error if a unique value exists */
  insert(record: T): T {
    this.#assertUnique(record, this.#records)
    this.#records = [...this.#records, structuredClone(record)]
    return structuredClone(record)
  }

  /** Returns null if no record matches. Undefined fields stay unchanged. */
  update(key: Partial<T>, changes: Partial<T>): T | null {
    const old = this.#records.find((record) => matches(record, key))
    if (old === undefined) return null
    const changed = { ...old, ...withoutUndefined(structuredClone(changes)) }
    const others = this.#records.filter((record) => record !== old)
    this.#assertUnique(changed, others)
    this.#records = this.#records.map((record) => (record === old ? changed : record))
    return structuredClone(changed)
  }

  remove(key: Partial<T>): T | null {
    const found = this.#records.find((record) => matches(record, key))
    this.#records = this.#records.filter((record) => record !== found)
    return found === undefined ? null : structuredClone(found)
  }

  removeAll(key: Partial<T>): void {
    this.#records = this.#records.filter((record) => !matches(record, key))
  }

  /** Null values are distinct, as in SQL: many users can have no email. */
  #assertUnique(record: T, others: readonly T[]): void {
    for (const fields of this.#unique) {
      const isTaken = others.some((other) =>
        fields.every((field) => record[field] != null && other[field] === record[field]),
      )
      if (isTaken) throw new Error(`a ${this.#name} with this ${fields.join(" and ")} already exists`)
    }
  }
}

function matches<T extends object>(record: T, key: Partial<T>): boolean {
  return Object.entries(key).every(([field, value]) => Reflect.get(record, field) === value && value != null)
}

function withoutUndefined<T extends object>(record: Partial<T>): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Partial<T> // as: same fields
}
