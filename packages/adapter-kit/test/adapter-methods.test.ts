import {
  type AdapterMethods,
  adapterMethods,
  type Key,
  type RecordStore,
  type RecordStores,
} from "@latchkey/adapter-kit"
import type { AdapterAuthenticator, AdapterSession, AdapterUser } from "@latchkey/core/adapters"
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
  return adapterMethods({
    users,
    accounts: memoryStore(["provider", "providerAccountId"]),
    sessions,
    verificationTokens: memoryStore(["identifier", "token"]),
    authenticators: memoryStore<AdapterAuthenticator>(["credentialID"]),
    consumedIds: memoryStore(["id"]),
    verifiedEmails: memoryStore(["userId", "email"]),
    newUserId: (proposed) => proposed ?? "generated",
    findAccountOwner: () => null,
    findSessionAndUser: () => null,
    ...stores,
  })
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
