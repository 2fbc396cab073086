import type {
  AdapterAccountChange,
  AdapterFactor,
  AdapterFeatures,
  AdapterSession,
  AdapterSessionDetail,
  Awaitable,
  NewSessionOptions,
  SessionLimit,
  SessionSelection,
  StoredPassword,
  TemporaryRecord,
} from "@latchkey/core/adapters"
import { andThen } from "./and-then.js"
import type { AccountKey, Key, RecordStore, RecordStores } from "./record-store.js"

/** The methods of the features beyond the contract, besides `transaction`. */
export type FeatureMethods = Required<AdapterFeatures>

/** The methods whose tables exist. A null store, or a driver without transactions, leaves out those that need it. */
export function featureMethods(stores: RecordStores): Partial<FeatureMethods> {
  const { temporaries, sessionDetails, passwords, factors, accountChanges, accounts, users, transact } = stores
  return {
    ...(temporaries && { ...temporaryMethods(temporaries), ...leaseMethods(temporaries) }),
    ...(sessionDetails && detailMethods(sessionDetails)),
    ...(sessionDetails && transact && sessionMethods(transact)),
    ...(passwords && passwordMethods(passwords)),
    ...(factors && factorMethods(factors)),
    ...(accountChanges && accountChangeMethods(accountChanges)),
    replaceEmail: ({ userId, from, to, emailVerified }) =>
      from === null
        ? (transact?.((within) => addEmail(within, userId, { email: to, emailVerified })) ?? false)
        : andThen(users.updateIf({ id: userId, email: from }, { email: to, emailVerified }), isFound),
    replaceTokens: ({ provider, providerAccountId }, { from, tokens }) =>
      from === null
        ? (transact?.((within) => addTokens(within, { provider, providerAccountId }, tokens)) ?? false)
        : andThen(accounts.updateIf({ provider, providerAccountId, refresh_token: from }, tokens), isFound),
  }
}

function isFound(record: object | null): boolean {
  return record !== null
}

/** Holds the row until the transaction ends: no statement compares with a missing value in all databases. */
function addTokens({ accounts }: RecordStores, key: AccountKey, tokens: object): Awaitable<boolean> {
  return andThen(accounts.lock(key), ([account]) => {
    const isWithout = account !== undefined && (account.refresh_token ?? null) === null
    return isWithout && andThen(accounts.update(key, tokens), isFound)
  })
}

/** Like {@link addTokens}, for a user without an address. */
function addEmail({ users }: RecordStores, id: string, changes: object): Awaitable<boolean> {
  return andThen(users.lock({ id }), ([user]) => {
    // as: the column may be null, although the contract's type does not say so.
    const isWithout = user !== undefined && ((user.email as string | null | undefined) ?? null) === null
    return isWithout && andThen(users.update({ id }, changes), isFound)
  })
}

/** Values and leases are in one table: the beginning of the id tells them apart. */
const idOf = { temporary: (id: string) => toId("kept", id), lease: (id: string) => toId("lease", id) }

/** Not a string: no id, which a store then rejects or does not find. */
function toId(kind: string, id: unknown): string {
  return typeof id === "string" ? `${kind}:${id}` : (id as string) // as: a JavaScript host may pass anything
}

function temporaryMethods(
  temporaries: RecordStore<TemporaryRecord>,
): Pick<FeatureMethods, "keepTemporary" | "takeTemporary"> {
  return {
    keepTemporary: ({ id, value, expires }) => temporaries.insert({ id: idOf.temporary(id), value, expires }),
    takeTemporary: (id) =>
      andThen(temporaries.remove({ id: idOf.temporary(id) }), (taken) => (taken && isLive(taken) ? taken.value : null)),
  }
}

function leaseMethods(temporaries: RecordStore<TemporaryRecord>): Pick<FeatureMethods, "takeLease" | "dropLease"> {
  return {
    takeLease({ id: name, holder, until }) {
      const id = idOf.lease(name)
      const lease = { value: holder, expires: until }
      const renew = () => andThen(temporaries.updateIf({ id, value: holder }, lease), isFound)
      const takeOver = () => andThen(temporaries.updateIf({ id }, lease, { until: new Date() }), isFound)
      return andThen(
        temporaries.insertOnce({ id, ...lease }),
        (isNew) => isNew || andThen(renew(), (isRenewed) => isRenewed || takeOver()),
      )
    },
    dropLease: ({ id, holder }) => temporaries.remove({ id: idOf.lease(id), value: holder }),
  }
}

function detailMethods(
  details: RecordStore<AdapterSessionDetail>,
): Pick<FeatureMethods, "seeSession" | "listSessionsByUserId"> {
  return {
    seeSession: ({ id, userId, seenAt, expires }) =>
      details.updateIf({ id, userId }, { lastSeenAt: seenAt, expires }, { after: seenAt }),
    listSessionsByUserId: (userId) => andThen(details.list({ userId }), (all) => all.filter(isLive)),
  }
}

function sessionMethods(
  transact: NonNullable<RecordStores["transact"]>,
): Pick<FeatureMethods, "createSessionDetail" | "endSessions"> {
  return {
    createSessionDetail: (detail, options = {}) => transact((within) => createSession(within, detail, options)),
    endSessions: (selection) => transact((within) => endSelected(within, selection)),
  }
}

/** The row of the session comes first, since its details refer to it. */
function createSession(
  stores: RecordStores,
  detail: AdapterSessionDetail,
  { session, limit }: NewSessionOptions,
): Awaitable<boolean> {
  const { sessions, sessionDetails } = stores
  const insertSession = () => (session ? sessions.insert(session) : null)
  const insert = () => andThen(insertSession(), () => andThen(sessionDetails?.insert(detail), () => true))
  const { sessionToken } = detail
  // Holds the row until the transaction ends, so that it cannot be deleted before its details are there.
  const hasRow = () => session !== undefined || sessionToken === null || isKnown(sessions.lock({ sessionToken }))
  const hasRoom = () => limit === undefined || makeRoom(stores, detail.userId, limit)
  return andThen(hasRow(), (isOpen) => isOpen && andThen(hasRoom(), (isAllowed) => isAllowed && insert()))
}

function isKnown(rows: Awaitable<readonly AdapterSession[]>): Awaitable<boolean> {
  return andThen(rows, ({ length }) => length > 0)
}

/** Holds the user's row until the transaction ends, so that sessions of one user are counted one after the other. */
function makeRoom(stores: RecordStores, userId: string, { count, over }: SessionLimit): Awaitable<boolean> {
  return andThen(stores.users.lock({ id: userId }), () =>
    andThen(stores.sessionDetails?.list({ userId }) ?? [], (all) => {
      const live = all.filter(isLive)
      const excess = live.length - count + 1
      if (excess <= 0) return true
      if (over === "refuse") return false
      return andThen(end(stores, live.toSorted(byLastUse).slice(0, excess)), () => true)
    }),
  )
}

function byLastUse(one: AdapterSessionDetail, other: AdapterSessionDetail): number {
  return one.lastSeenAt.valueOf() - other.lastSeenAt.valueOf()
}

function endSelected(stores: RecordStores, selection: SessionSelection): Awaitable<number> {
  const { except, ...key } = { except: undefined, ...selection }
  return andThen(stores.sessionDetails?.lock(key satisfies Key) ?? [], (all) =>
    end(
      stores,
      all.filter(({ id }) => id !== except),
    ),
  )
}

/** Expired ones too: the row of a session may live longer than its details. */
function end({ sessions, sessionDetails }: RecordStores, details: readonly AdapterSessionDetail[]): Awaitable<number> {
  const idsOf = (some: readonly AdapterSessionDetail[]) => some.map(({ id }) => id)
  const tokens = details.flatMap(({ sessionToken }) => sessionToken ?? [])
  const remove = (ids: readonly string[]) => (sessionDetails ? removeEach(sessionDetails, "id", ids) : 0)
  return andThen(remove(idsOf(details.filter(isLive))), (ended) =>
    andThen(remove(idsOf(details.filter((detail) => !isLive(detail)))), () =>
      andThen(removeEach(sessions, "sessionToken", tokens), () => ended),
    ),
  )
}

/**
 * A statement has at most 32,766 parameters in SQLite and 65,535 in PostgreSQL. A monitor that signs in once a minute has more
 * sessions.
 */
const maxRemovedAtOnce = 1024

/** As `removeAll`, for any number of values. */
function removeEach<T>(store: RecordStore<T>, field: string, values: readonly string[]): Awaitable<number> {
  const rest = values.slice(maxRemovedAtOnce)
  return andThen(store.removeAll(field, values.slice(0, maxRemovedAtOnce)), (removed) =>
    rest.length === 0 ? removed : andThen(removeEach(store, field, rest), (more) => removed + more),
  )
}

function passwordMethods(
  passwords: RecordStore<StoredPassword>,
): Pick<FeatureMethods, "getPassword" | "setPassword" | "deletePassword"> {
  return {
    getPassword: (userId) => passwords.find({ userId }),
    setPassword({ userId, hash, changedAt, from }) {
      if (from === null) return passwords.insertOnce({ userId, hash, changedAt })
      return andThen(passwords.updateIf({ userId, hash: from }, { hash, changedAt }), isFound)
    },
    deletePassword: (userId) => passwords.remove({ userId }),
  }
}

function factorMethods(
  factors: RecordStore<AdapterFactor>,
): Pick<FeatureMethods, "listFactors" | "createFactor" | "changeFactor" | "deleteFactor"> {
  return {
    listFactors: (userId) => factors.list({ userId }),
    createFactor: (factor) => factors.insert(factor),
    changeFactor({ id, from, secret, label, lastStep, lastUsedAt }) {
      const changes = { secret, label, lastStep, lastUsedAt, version: from + 1 }
      return andThen(factors.updateIf({ id, version: from }, changes), isFound)
    },
    deleteFactor: (id) => factors.remove({ id }),
  }
}

function accountChangeMethods(
  changes: RecordStore<AdapterAccountChange>,
): Pick<FeatureMethods, "createAccountChange" | "getAccountChange" | "listAccountChanges" | "deleteAccountChange"> {
  return {
    createAccountChange: (change) => changes.insertOnce(change),
    getAccountChange: (id) => changes.find({ id }),
    listAccountChanges: (selection) => changes.list({ ...selection } satisfies Key),
    deleteAccountChange: ({ id, value }) => andThen(changes.remove({ id, value }), isFound),
  }
}

function isLive({ expires }: { readonly expires: Date }): boolean {
  return expires.valueOf() > Date.now()
}
