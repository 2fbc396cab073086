import {
  type AdapterMethods,
  adapterMethods,
  type Key,
  type RecordStore,
  type RecordStores,
} from "@latchkey/adapter-kit"
import type {
  AdapterAuthenticator,
  AdapterSession,
  AdapterSessionDetail,
  AdapterUser,
  TemporaryRecord,
} from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"

type Row = Readonly<Record<string, unknown>>

/** A synchronous store of rows in memory, with the key and the fields of one table. */
function memoryStore<T>(keyFields: readonly string[], missing: readonly string[] = []): RecordStore<T> {
  let rows: readonly Row[] = []
  const has = (row: Row, key: Key) => Object.entries(key).every(([field, value]) => row[field] === value)
  const keyOf = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([field]) => keyFields.includes(field)))
  const find = (key: Key) => (rows.find((row) => has(row, key)) as T | undefined) ?? null
  const update = (key: Key, changes: object) => {
    rows = rows.map((row) => (has(row, key) ? { ...row, ...changes } : row))
    return find(key)
  }
  return {
    hasField: (field) => !missing.includes(field),
    find,
    list: (key) => rows.filter((row) => has(row, key)) as T[],
    insert(record) {
      rows = [...rows, record as Row]
      return record as T
    },
    insertOnce(record) {
      if (find(keyOf(record)) !== null) return false
      rows = [...rows, record as Row]
      return true
    },
    update,
    updateIf(key, changes, lifetime) {
      const found = rows.find((row) => has(row, key))
      const expires = Number(found?.["expires"])
      const isInTime = !lifetime || ("after" in lifetime ? expires > +lifetime.after : expires <= +lifetime.until)
      if (found === undefined || !isInTime) return null
      rows = rows.map((row) => (row === found ? { ...row, ...changes } : row))
      return (rows.find((row) => has(row, { ...key, ...changes })) as T | undefined) ?? null
    },
    removeAll(field, values) {
      const before = rows.length
      rows = rows.filter((row) => !values.some((value) => value === row[field]))
      return before - rows.length
    },
    lock: (key) => rows.filter((row) => has(row, key)) as T[],
    raise: (key, field, value) => update(key, { [field]: value }),
    remove(key) {
      const found = find(key)
      rows = rows.filter((row) => !has(row, key))
      return found
    },
    removeBefore(field, instant) {
      const before = rows.length
      rows = rows.filter((row) => !(row[field] instanceof Date && row[field] < instant))
      return before - rows.length
    },
  }
}

function open(stores: Partial<RecordStores> = {}): AdapterMethods {
  const users = memoryStore<AdapterUser>(["id"])
  const sessions = memoryStore<AdapterSession>(["sessionToken"])
  const all: RecordStores = {
    users,
    accounts: memoryStore(["provider", "providerAccountId"]),
    sessions,
    verificationTokens: memoryStore(["identifier", "token"]),
    authenticators: memoryStore<AdapterAuthenticator>(["credentialID"]),
    consumedIds: memoryStore(["id"]),
    verifiedEmails: memoryStore(["userId", "email"]),
    temporaries: memoryStore(["id"]),
    sessionDetails: memoryStore(["id"]),
    passwords: memoryStore(["userId"]),
    factors: memoryStore(["id"]),
    accountChanges: memoryStore(["id"]),
    transact: (work) => work(all),
    isMissingTable: () => false,
    newUserId: (proposed) => proposed ?? "generated",
    findAccountOwner: () => null,
    findSessionAndUser: () => null,
    ...stores,
  }
  return adapterMethods(all)
}

const ada = { id: "ada", email: "ada@example.com", emailVerified: null }

describe("adapterMethods", () => {
  it("answers synchronously over synchronous stores", () => {
    const { createUser, getUser, updateUser, unlinkAccount } = open()
    expect(createUser(ada)).toEqual(ada)
    expect(updateUser({ id: "ada", name: "Ada" })).toMatchObject({ id: "ada", name: "Ada" })
    expect(getUser("ada")).toMatchObject({ name: "Ada" })
    expect(unlinkAccount({ provider: "harbour", providerAccountId: "1" })).toBeUndefined()
  })

  it("answers with a promise over asynchronous stores", async () => {
    const users = memoryStore<AdapterUser>(["id"])
    const { updateUser } = open({
      users: { ...users, update: async (key, changes) => await users.update(key, changes) },
    })
    await expect((async () => await updateUser({ id: "ada" }))()).rejects.toThrow("updateUser: no user has this id")
  })

  it("throws when a user or an authenticator to update does not exist", () => {
    const { updateUser, updateAuthenticator, updateAuthenticatorCounter } = open()
    expect(() => updateUser({ id: "ada" })).toThrow("updateUser: no user has this id")
    expect(() => updateAuthenticator?.({ credentialID: "AA==" })).toThrow("no authenticator has this credentialID")
    expect(() => updateAuthenticatorCounter?.("AA==", 1)).toThrow("no authenticator has this credentialID")
  })

  it("inserts the id that newUserId returns", () => {
    const { createUser } = open({ newUserId: () => "1" })
    expect(createUser(ada)).toEqual({ ...ada, id: "1" })
  })

  it("leaves out the methods of missing tables", () => {
    const methods = open({ authenticators: null, consumedIds: null, verifiedEmails: null })
    const optional = [
      "createAuthenticator",
      "updateAuthenticator",
      "consumeOnce",
      "markEmailVerified",
      "isEmailVerified",
    ]
    for (const name of optional) expect(methods).not.toHaveProperty(name)
    for (const name of optional) expect(open()).toHaveProperty(name)
  })

  it("leaves out updateAuthenticator if a column for it is missing", () => {
    const methods = open({ authenticators: memoryStore(["credentialID"], ["lastUsedAt"]) })
    expect(methods).toHaveProperty("createAuthenticator")
    expect(methods).not.toHaveProperty("updateAuthenticator")
  })

  it("leaves out the methods of features whose tables are missing", () => {
    const tables = { temporaries: null, sessionDetails: null, passwords: null, factors: null, accountChanges: null }
    const methods = open(tables)
    for (const name of [
      "takeLease",
      "keepTemporary",
      "seeSession",
      "endSessions",
      "setPassword",
      "listFactors",
      "getAccountChange",
    ]) {
      expect(methods).not.toHaveProperty(name)
      expect(open()).toHaveProperty(name)
    }
    expect(methods).toHaveProperty("replaceTokens")
  })

  it("leaves out the methods that need transactions if the driver has none", () => {
    const methods = open({ transact: null })
    for (const name of ["createSessionDetail", "endSessions", "transaction"]) expect(methods).not.toHaveProperty(name)
    expect(methods).toHaveProperty("seeSession")
  })

  it("ends more sessions than a statement has parameters", () => {
    const sizes: number[] = []
    const details = memoryStore<AdapterSessionDetail>(["id"])
    const { createSessionDetail, endSessions } = open({
      sessionDetails: {
        ...details,
        removeAll(field, values) {
          sizes.push(values.length)
          return details.removeAll(field, values)
        },
      },
    })
    const live = { userId: "ada", sessionToken: null, expires: new Date(Date.now() + 60_000) }
    for (let n = 0; n < 2100; n++) createSessionDetail?.({ ...live, id: `${n}` } as AdapterSessionDetail) // as: no more is read
    expect(endSessions?.({ userId: "ada", except: "7" })).toBe(2099)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024)
    expect(endSessions?.({ userId: "ada" })).toBe(1)
  })

  it("ignores tables that were not created yet when it removes what expired", async () => {
    const fail = () => {
      throw new Error("no such table: Temporary")
    }
    const missing = { ...memoryStore<TemporaryRecord>(["id"]), removeBefore: fail }
    const late = { ...missing, removeBefore: async () => fail() }
    for (const temporaries of [missing, late]) {
      const { removeExpired } = open({ temporaries, isMissingTable: () => true })
      expect(await removeExpired()).toBe(0)
      const strict = open({ temporaries })
      await expect((async () => await strict.removeExpired())()).rejects.toThrow("no such table")
    }
  })

  it("asks every table when it checks the store, and names all that are missing", async () => {
    await open().checkStore()
    const missing = <T>(name: string) => {
      const find = () => {
        throw new Error(`no such table: ${name}`)
      }
      return { ...memoryStore<T>(["id"]), find }
    }
    const stores = { temporaries: missing<TemporaryRecord>("Temporary"), consumedIds: missing<object>("Spent") }
    const { checkStore } = open({ ...stores, isMissingTable: () => true })
    await expect(checkStore()).rejects.toThrow("no such table: Spent\nno such table: Temporary")
    await expect(open(stores).checkStore()).rejects.toThrow(/Spent$/)
  })

  it("gives a lease to one holder, synchronously over synchronous stores", () => {
    const { takeLease, dropLease } = open()
    const until = new Date(Date.now() + 60_000)
    expect([takeLease?.({ id: "a", holder: "1", until }), takeLease?.({ id: "a", holder: "2", until })]).toEqual([
      true,
      false,
    ])
    dropLease?.({ id: "a", holder: "1" })
    expect(takeLease?.({ id: "a", holder: "2", until })).toBe(true)
  })

  it("consumes an id once, and remembers verified emails", () => {
    const { consumeOnce, markEmailVerified, isEmailVerified } = open()
    expect([consumeOnce?.("flow", new Date(1)), consumeOnce?.("flow", new Date(1))]).toEqual([true, false])
    markEmailVerified?.({ userId: "ada", email: ada.email, provider: "harbour" })
    expect([isEmailVerified?.(ada), isEmailVerified?.({ ...ada, email: "other@example.com" })]).toEqual([true, false])
  })

  it("counts the expired rows of all tables that it removes", () => {
    const { createSession, createVerificationToken, consumeOnce, removeExpired } = open()
    createSession({ sessionToken: "t", userId: "ada", expires: new Date(1) })
    createVerificationToken({ identifier: ada.email, token: "t", expires: new Date(1) })
    for (const id of ["a", "b"]) consumeOnce?.(id, new Date(id === "a" ? 1 : 2))
    expect([removeExpired(new Date(2)), removeExpired(new Date(2)), removeExpired()]).toEqual([3, 0, 1])
  })
})
