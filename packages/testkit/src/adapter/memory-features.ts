import type {
  AccountChangeSelection,
  AdapterAccount,
  AdapterAccountChange,
  AdapterFactor,
  AdapterFeatures,
  AdapterSession,
  AdapterSessionDetail,
  AdapterUser,
  EmailReplacement,
  FactorChange,
  Lease,
  NewSessionOptions,
  SeenSession,
  SessionLimit,
  SessionSelection,
  StoredPassword,
  TemporaryRecord,
  TokenReplacement,
} from "@latchkey/core/adapters"
import { MemoryTable } from "./memory-table.js"

/** The tables of the features beyond the contract. */
export interface FeatureTables {
  readonly temporary: MemoryTable<TemporaryRecord>
  readonly sessionDetails: MemoryTable<AdapterSessionDetail>
  readonly leases: MemoryTable<Lease>
  readonly passwords: MemoryTable<StoredPassword>
  readonly factors: MemoryTable<AdapterFactor>
  readonly accountChanges: MemoryTable<AdapterAccountChange>
}

export function createFeatureTables(): FeatureTables {
  return {
    temporary: new MemoryTable("temporary record", [["id"]]),
    sessionDetails: new MemoryTable("session detail", [["id"]]),
    leases: new MemoryTable("lease", [["id"]]),
    passwords: new MemoryTable("password", [["userId"]]),
    factors: new MemoryTable("factor", [["id"]]),
    accountChanges: new MemoryTable("change of an account", [["id"]]),
  }
}

interface ContractTables {
  readonly users: MemoryTable<AdapterUser>
  readonly accounts: MemoryTable<AdapterAccount>
  readonly sessions: MemoryTable<AdapterSession>
}

/** The methods of the features beyond the contract, besides `transaction`. */
export function featureMethods(tables: FeatureTables & ContractTables): Required<AdapterFeatures> {
  return {
    ...temporaryMethods(tables),
    ...detailMethods(tables),
    ...leaseMethods(tables),
    ...passwordMethods(tables),
    ...factorMethods(tables),
    ...accountChangeMethods(tables),
    async replaceEmail({ userId, from, to, emailVerified }: EmailReplacement) {
      const isWithout = from === null && tables.users.find({ id: userId })?.email == null
      if (from === null && !isWithout) return false
      const expected = from === null ? { id: userId } : { id: userId, email: from }
      // as: the contract's type has no null, which is a user without an address.
      return tables.users.update(expected, { email: to as string, emailVerified }) !== null
    },
    async replaceTokens({ provider, providerAccountId }, { from, tokens }: TokenReplacement) {
      const key = { provider, providerAccountId }
      const isWithout = from === null && tables.accounts.find(key)?.refresh_token == null
      if (from === null && !isWithout) return false
      const expected = from === null ? key : { ...key, refresh_token: from }
      return tables.accounts.update(expected, tokens as Partial<AdapterAccount>) !== null
    },
  }
}

function temporaryMethods({ temporary }: FeatureTables) {
  return {
    keepTemporary: async (record: TemporaryRecord) => temporary.insert(record),
    async takeTemporary(id: string) {
      const taken = temporary.remove({ id })
      return taken && isLive(taken.expires) ? taken.value : null
    },
  }
}

function detailMethods({ sessionDetails, sessions, users }: FeatureTables & ContractTables) {
  function end(detail: AdapterSessionDetail): void {
    sessionDetails.remove({ id: detail.id })
    if (detail.sessionToken !== null) sessions.remove({ sessionToken: detail.sessionToken })
  }
  const listLive = (key: Partial<AdapterSessionDetail>) =>
    sessionDetails.list(key).filter(({ expires }) => isLive(expires))

  function makeRoom(userId: string, { count, over }: SessionLimit): boolean {
    const live = listLive({ userId })
    const excess = live.length - count + 1
    if (excess <= 0) return true
    if (over === "refuse") return false
    const oldestFirst = live.toSorted((a, b) => a.lastSeenAt.valueOf() - b.lastSeenAt.valueOf())
    for (const oldest of oldestFirst.slice(0, excess)) end(oldest)
    return true
  }

  return {
    async createSessionDetail(detail: AdapterSessionDetail, { session, limit }: NewSessionOptions = {}) {
      users.assertHas({ id: detail.userId })
      const isTaken = sessionDetails.find({ id: detail.id }) ?? (session && sessions.find(tokenOf(session)))
      if (isTaken) throw new Error("a session detail with this id, or a session with this token, already exists")
      const { sessionToken } = detail
      if (!session && sessionToken !== null && !sessions.find({ sessionToken })) return false
      if (limit && !makeRoom(detail.userId, limit)) return false
      if (session) sessions.insert(session)
      sessionDetails.insert(detail)
      return true
    },
    async seeSession({ id, userId, seenAt, expires }: SeenSession) {
      const found = sessionDetails.find({ id, userId })
      if (!found || found.expires <= seenAt) return null
      return sessionDetails.update({ id, userId }, { lastSeenAt: seenAt, expires })
    },
    listSessionsByUserId: async (userId: string) => listLive({ userId }),
    async endSessions(selection: SessionSelection) {
      const { except, ...key } = { except: undefined, ...selection }
      const selected = sessionDetails.list(key).filter(({ id }) => id !== except)
      for (const detail of selected) end(detail)
      return selected.filter(({ expires }) => isLive(expires)).length
    },
  }
}

function leaseMethods({ leases }: FeatureTables) {
  return {
    async takeLease({ id, holder, until }: Lease) {
      const current = leases.find({ id })
      if (current && current.holder !== holder && isLive(current.until)) return false
      leases.remove({ id })
      leases.insert({ id, holder, until })
      return true
    },
    dropLease: async ({ id, holder }: Pick<Lease, "id" | "holder">) => leases.removeAll({ id, holder }),
  }
}

function passwordMethods({ passwords, users }: FeatureTables & ContractTables) {
  return {
    getPassword: async (userId: string) => passwords.find({ userId }),
    async setPassword({ from, ...password }: StoredPassword & { readonly from: string | null }) {
      users.assertHas({ id: password.userId })
      const current = passwords.find({ userId: password.userId })
      if ((current?.hash ?? null) !== from) return false
      passwords.remove({ userId: password.userId })
      passwords.insert(password)
      return true
    },
    deletePassword: async (userId: string) => passwords.remove({ userId }),
  }
}

function factorMethods({ factors, users }: FeatureTables & ContractTables) {
  return {
    listFactors: async (userId: string) => factors.list({ userId }),
    async createFactor(factor: AdapterFactor) {
      users.assertHas({ id: factor.userId })
      return factors.insert(factor)
    },
    async changeFactor({ id, from, ...changes }: FactorChange) {
      return factors.update({ id, version: from }, { ...changes, version: from + 1 }) !== null
    },
    deleteFactor: async (id: string) => factors.remove({ id }),
  }
}

function accountChangeMethods({ accountChanges, users }: FeatureTables & ContractTables) {
  return {
    async createAccountChange(change: AdapterAccountChange) {
      users.assertHas({ id: change.userId })
      if (accountChanges.find({ id: change.id })) return false
      accountChanges.insert(change)
      return true
    },
    getAccountChange: async (id: string) => accountChanges.find({ id }),
    listAccountChanges: async (selection: AccountChangeSelection) => accountChanges.list({ ...selection }),
    deleteAccountChange: async ({ id, value }: Pick<AdapterAccountChange, "id" | "value">) =>
      accountChanges.remove({ id, value }) !== null,
  }
}

function tokenOf({ sessionToken }: Pick<AdapterSession, "sessionToken">): Pick<AdapterSession, "sessionToken"> {
  return { sessionToken }
}

function isLive(expires: Date): boolean {
  return expires.valueOf() > Date.now()
}
