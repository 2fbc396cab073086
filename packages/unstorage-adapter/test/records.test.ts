import { inspect } from "node:util"
import type { KeyValueStorage } from "@latchkey/unstorage-adapter"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { watchedStorage } from "./watched-storage.js"

const expires = new Date("2040-01-01T00:00:00.123Z")
const account = { userId: "ada", type: "oidc", provider: "harbour", providerAccountId: "1" } as const
const passkey = {
  credentialID: "key",
  userId: "ada",
  providerAccountId: "key",
  credentialPublicKey: "public",
  counter: 0,
  credentialDeviceType: "singleDevice",
  credentialBackedUp: false,
}
const person = (id: string, email = `${id}@example.com`) => ({ id, email, emailVerified: null })
const open = (storage: KeyValueStorage) => UnstorageAdapter(storage, { acceptReplays: true })

describe("UnstorageAdapter", () => {
  it("rejects a prefix that a storage would change and a timeout that timers do not support", () => {
    for (const prefix of ["", "a:", ":a", "a::b", "a/b", "a?b", "..", "a b"]) {
      expect(() => UnstorageAdapter(createStorage(), { prefix })).toThrow("prefix must contain only")
    }
    for (const timeoutMilliseconds of [0, -1, Number.NaN, 2 ** 31]) {
      expect(() => UnstorageAdapter(createStorage(), { timeoutMilliseconds })).toThrow("positive number")
    }
  })

  it("has the methods that rely on consumeOnce only with it or with acceptReplays", () => {
    const methods = (options?: Parameters<typeof UnstorageAdapter>[1]) =>
      ["useVerificationToken", "getAuthenticator", "consumeOnce"].filter(
        (method) => method in UnstorageAdapter(createStorage(), options),
      )
    expect(methods()).toEqual([])
    expect(methods({ acceptReplays: true })).toEqual(["useVerificationToken", "getAuthenticator"])
    expect(methods({ consumeOnce: () => true })).toEqual(["useVerificationToken", "getAuthenticator", "consumeOnce"])
  })

  it("treats any result of consumeOnce other than true as false", async () => {
    const consumeOnce = vi.fn(() => "OK" as unknown as boolean)
    const adapter = UnstorageAdapter(createStorage(), { consumeOnce })
    const token = { identifier: "ada@example.com", token: "hash", expires }
    await adapter.createVerificationToken?.(token)
    expect(await adapter.useVerificationToken?.(token)).toBeNull()
    expect(await adapter.consumeOnce?.("flow", expires)).toBe(false)
    expect(consumeOnce).toHaveBeenCalledTimes(2)
  })
})

describe("checkStore of UnstorageAdapter", () => {
  it("writes a value that expires, reads it back, and leaves nothing", async () => {
    const seen: string[] = []
    const storage = createStorage()
    const watched = watchedStorage(async ({ method, args, make }) => {
      seen.push(method === "setItem" ? `${method} ${JSON.stringify(args[2])}` : method)
      return make()
    }, storage)
    await UnstorageAdapter(watched).checkStore()
    expect(seen).toEqual(['setItem {"ttl":60}', "getItem", "removeItem"])
    expect(await storage.getKeys()).toEqual([])
  })

  it("names what is wrong", async () => {
    const away = watchedStorage(() => Promise.reject(new Error("connection refused")))
    await expect(UnstorageAdapter(away).checkStore()).rejects.toThrow("Storage: connection refused")
    const silent = watchedStorage(() => new Promise(() => {}))
    await expect(UnstorageAdapter(silent, { timeoutMilliseconds: 10 }).checkStore()).rejects.toThrow("within 10 ms")
    const forgetful = watchedStorage(async ({ method, make }) => (method === "setItem" ? undefined : make()))
    await expect(UnstorageAdapter(forgetful).checkStore()).rejects.toThrow("is not there")
    const consumeOnce = (answer: boolean) => UnstorageAdapter(createStorage(), { consumeOnce: async () => answer })
    await expect(consumeOnce(true).checkStore()).rejects.toThrow("to a second caller")
    await expect(consumeOnce(false).checkStore()).rejects.toThrow("to the first caller")
    const used = new Set<string>()
    const right = UnstorageAdapter(createStorage(), { consumeOnce: async (id) => used.size < used.add(id).size })
    await right.checkStore()
  })
})

describe("UnstorageAdapter records", () => {
  let storage: KeyValueStorage
  let adapter: ReturnType<typeof UnstorageAdapter>

  beforeEach(async () => {
    storage = createStorage()
    adapter = open(storage)
    await adapter.createUser(person("ada"))
  })

  const read = async (part: string) => {
    const keys = (await storage.getKeys("latchkey")).filter((key) => key.startsWith(`latchkey:${part}:`))
    return await Promise.all(keys.map((key) => storage.getItem(key)))
  }

  it("writes items with their time to live in seconds", async () => {
    const lifetimes: Record<string, unknown> = {}
    const watched = watchedStorage(async ({ method, args, make }) => {
      const [key, , options] = args
      if (method === "setItem") lifetimes[`${key}`.split(":")[1] ?? ""] = Reflect.get(options ?? {}, "ttl")
      return await make()
    })
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2039-12-31T23:59:00.000Z") })
    const own = open(watched)
    await own.createUser(person("ada"))
    await own.createSession({ sessionToken: "t", userId: "ada", expires })
    await own.createVerificationToken?.({ identifier: "a", token: "b", expires: new Date(0) })
    await own.deleteSession("t")
    vi.useRealTimers()
    expect(lifetimes).toMatchObject({ session: 61, "owned-session": 61, token: 1, ended: 61 + 3600 })
    expect(lifetimes).toMatchObject({ user: undefined, profile: undefined, email: undefined })
  })

  it("stores no session token that would allow sign-in with a copy of the store", async () => {
    await adapter.createSession({ sessionToken: "sesame-open-up", userId: "ada", expires })
    await adapter.updateSession({ sessionToken: "sesame-open-up", expires })
    await adapter.deleteSession("sesame-open-up")
    const keys = await storage.getKeys("")
    const all = await Promise.all(keys.map(async (key) => [key, await storage.getItem(key)]))
    expect(JSON.stringify(all)).not.toContain("sesame")
  })

  it("ADP-02: uses keys that every driver keeps unchanged", async () => {
    await adapter.createUser(person("../a/b?c", "x/../..@example.com"))
    await adapter.linkAccount({ ...account, provider: "..", providerAccountId: "a:b$" })
    await adapter.createSession({ sessionToken: "a\\b", userId: "../a/b?c", expires })
    const keys = await storage.getKeys("")
    for (const key of keys) expect(key).toMatch(/^latchkey:[a-z-]+(:[0-9a-f-]{36,64})+$/)
    expect(await adapter.getUserByAccount({ provider: ".", providerAccountId: ":a:b$" })).toBeNull()
    expect(await adapter.getSessionAndUser("a\\b")).toMatchObject({ user: { id: "../a/b?c" } })
  })

  it("keeps the host's own fields with their types", async () => {
    const own = {
      roles: [],
      nested: { a: [1.5, null, { b: true }], __proto__x: 1 },
      since: new Date("2026-01-02T03:04:05.006Z"),
      textOfDate: "@2026-01-02T03:04:05.006Z",
      number: "12",
      word: "null",
      nothing: null,
      json: '{"__proto__":{"a":1},"constructor":{}}',
      half: "\ud800",
    }
    const user = { ...person("ben"), ...own }
    expect(await adapter.createUser(user)).toStrictEqual(user)
    expect(await adapter.getUserByEmail("ben@example.com")).toStrictEqual(user)
    await adapter.updateUser({ id: "ben", ...{ since: null, roles: [["x"]] } })
    expect(await adapter.getUser("ben")).toStrictEqual({ ...user, since: null, roles: [["x"]] })
  })

  it("rejects values that cannot be restored", async () => {
    for (const value of [Number.NaN, 1n, () => 1, new Date(Number.NaN)]) {
      await expect(adapter.updateUser({ id: "ada", ...{ own: value } })).rejects.toThrow("own must be")
    }
    const session = { sessionToken: "t", userId: "ada", expires: new Date(Number.NaN) }
    await expect(adapter.createSession(session)).rejects.toThrow("must be a valid date")
  })

  it("rejects items that it did not write", async () => {
    const foreign = watchedStorage(async ({ method, make }) =>
      method === "getItem" ? { role: "admin" } : await make(),
    )
    await expect(open(foreign).getUser("ada")).rejects.toThrow("invalid item")
  })

  it("gives an email to another user once it is free", async () => {
    await adapter.createUser(person("ben"))
    await expect(adapter.updateUser({ id: "ben", email: "ada@example.com" })).rejects.toThrow("the email is taken")
    await expect(adapter.createUser(person("ada", "x@example.com"))).rejects.toThrow("the id is taken")
    await adapter.updateUser({ id: "ada", email: "lovelace@example.com" })
    expect(await adapter.getUserByEmail("ada@example.com")).toBeNull()
    expect(await adapter.updateUser({ id: "ben", email: "ada@example.com" })).toMatchObject({ id: "ben" })
    expect(await adapter.getUserByEmail("lovelace@example.com")).toMatchObject({ id: "ada" })
    expect(await read("email")).toHaveLength(2)
  })

  it("deletes everything of a user, at once or by a second call after an interruption", async () => {
    for (let at = 0, isDone = false; !isDone; at++) {
      storage = createStorage()
      adapter = open(storage)
      await adapter.createUser(person("ada"))
      await adapter.linkAccount(account)
      await adapter.createSession({ sessionToken: "t", userId: "ada", expires })
      await adapter.createAuthenticator?.(passkey)
      await adapter.updateAuthenticatorCounter?.("key", 7)
      await adapter.markEmailVerified({ userId: "ada", email: "ada@example.com", provider: "harbour" })
      isDone = await deleteInterrupted(at)
      const found = await Promise.all([
        adapter.getUser("ada"),
        adapter.getUserByEmail("ada@example.com"),
        adapter.getUserByAccount(account),
        adapter.getSessionAndUser("t"),
        adapter.getAuthenticator?.("key"),
        adapter.isEmailVerified({ id: "ada", email: "ada@example.com" }),
      ])
      expect(new Set(found.map(Boolean)).size).toBe(1)
      if (at % 2 === 0) await expectAvailableToOthers(found[0] === null)
      await adapter.deleteUser("ada")
      await adapter.deleteUser("ben")
      expect(await storage.getKeys("")).toEqual([])
    }
  })

  /** Expects that another user can have the records of a deleted one and keeps them when the deletion is repeated. */
  async function expectAvailableToOthers(isDeleted: boolean): Promise<void> {
    if (!isDeleted) return
    await adapter.createUser(person("ben", "ada@example.com"))
    await adapter.linkAccount({ ...account, userId: "ben" })
    await adapter.createAuthenticator?.({ ...passkey, userId: "ben" })
    await adapter.updateAuthenticatorCounter?.("key", 9)
    await adapter.deleteUser("ada")
    expect(await adapter.getUserByEmail("ada@example.com")).toMatchObject({ id: "ben" })
    expect(await adapter.getUserByAccount(account)).toMatchObject({ id: "ben" })
    expect(await adapter.listAuthenticatorsByUserId?.("ben")).toMatchObject([{ counter: 9 }])
  }

  it("leaves consistent data after an interrupted change of a user's email", async () => {
    for (let at = 0, isDone = false; !isDone; at++) {
      storage = createStorage()
      adapter = open(storage)
      await adapter.createUser(person("ada"))
      const interrupted = watchedStorage(async ({ index, make }) => {
        if (index >= at) throw new Error("the connection was lost")
        return await make()
      }, storage)
      isDone = await (async () => await open(interrupted).updateUser({ id: "ada", email: "new@example.com" }))().then(
        () => true,
        () => false,
      )
      const { email } = (await adapter.getUser("ada")) ?? {}
      const free = email === "new@example.com" ? "ada@example.com" : "new@example.com"
      expect(await adapter.getUserByEmail(email ?? "")).toMatchObject({ id: "ada" })
      expect(await adapter.getUserByEmail(free)).toBeNull()
      expect(await adapter.createUser(person("ben", free))).toMatchObject({ email: free })
      if (isDone) expect(email).toBe("new@example.com")
    }
  })

  async function deleteInterrupted(at: number): Promise<boolean> {
    const interrupted = watchedStorage(async ({ index, make }) => {
      if (index >= at) throw new Error("the connection was lost")
      return await make()
    }, storage)
    try {
      await open(interrupted).deleteUser("ada")
      return true
    } catch {
      return false // Interrupted.
    }
  }

  it("creates a user after an interrupted createUser", async () => {
    for (let at = 0, isDone = false; !isDone; at++) {
      storage = createStorage()
      adapter = open(storage)
      const interrupted = watchedStorage(async ({ index, make }) => {
        if (index >= at) throw new Error("the connection was lost")
        return await make()
      }, storage)
      isDone = await (async () => await open(interrupted).createUser(person("ben")))().then(
        () => true,
        () => false,
      )
      const found = await adapter.getUserByEmail("ben@example.com")
      expect(found !== null).toBe(isDone)
      if (!found) expect(await adapter.createUser(person("ben"))).toMatchObject({ id: "ben" })
    }
  })

  it("gives nothing of a deleted user to a new user with the same id", async () => {
    await adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    await adapter.linkAccount(account)
    const kept = await Promise.all(
      (await storage.getKeys("")).map(async (key) => [key, await storage.getItem(key)] as const),
    )
    await adapter.deleteUser("ada")
    await adapter.createUser(person("ada"))
    for (const [key, item] of kept) {
      if (/:(session|account|owned-account|owned-session):/.test(key)) await storage.setItem(key, item as never)
    }
    expect(await adapter.getSessionAndUser("t")).toBeNull()
    expect(await adapter.getUserByAccount(account)).toBeNull()
    expect(await adapter.listAccountsByUserId("ada")).toEqual([])
    expect(await adapter.linkAccount(account)).toMatchObject(account)
  })

  it("ADP-07: keeps a session deleted that is extended at the same time, in any order of the steps", async () => {
    for (let at = 0, isDone = false; !isDone; at++) {
      const inner = createStorage()
      const plain = open(inner)
      await plain.createUser(person("ada"))
      await plain.createSession({ sessionToken: "t", userId: "ada", expires })
      const ending = { isAt: false }
      const slow = watchedStorage(async ({ index, make }) => {
        if (index === at) {
          ending.isAt = true
          await plain.deleteSession("t")
        }
        return await make()
      }, inner)
      await open(slow).updateSession({ sessionToken: "t", expires: new Date("2041-01-01T00:00:00.000Z") })
      isDone = !ending.isAt
      if (!isDone) expect(await plain.getSessionAndUser("t")).toBeNull()
    }
  })

  it("deletes only expired records with removeExpired", async () => {
    const now = new Date("2030-01-01T00:00:00.000Z")
    const past = new Date("2029-12-31T23:59:59.999Z")
    for (const [name, at] of [
      ["old", past],
      ["new", now],
    ] as const) {
      await adapter.createSession({ sessionToken: name, userId: "ada", expires: at })
      await adapter.createVerificationToken?.({ identifier: "a", token: name, expires: at })
    }
    expect(await adapter.removeExpired(now)).toBe(2)
    expect(await Promise.all(["session", "owned-session", "token"].map(read))).toMatchObject([[{}], [{}], [{}]])
    expect(await adapter.getSessionAndUser("new")).not.toBeNull()
    expect(await adapter.removeExpired(now)).toBe(0)
  })

  it("reads few items at once with removeExpired, and lets other work run meanwhile", async () => {
    const [now, past, later] = ["2030-01-01", "2029-12-31", "2040-01-01"].map((day) => new Date(`${day}T00:00:00.000Z`))
    for (let n = 0; n < 450; n++) {
      await adapter.createVerificationToken?.({
        identifier: "a",
        token: `${n}`,
        expires: (n % 3 ? past : later) as Date,
      })
    }
    const reading = { count: 0, most: 0, total: 0 }
    const watched = watchedStorage(async ({ method, make }) => {
      if (method !== "getItem") return await make()
      reading.count += 1
      reading.total += 1
      reading.most = Math.max(reading.most, reading.count)
      return await make().finally(() => {
        reading.count -= 1
      })
    }, storage)
    const seen = new Set<number>()
    const timer = setInterval(() => seen.add(reading.total), 0)
    expect(await open(watched).removeExpired(now)).toBe(300)
    clearInterval(timer)
    expect(reading.most).toBeLessThanOrEqual(100)
    expect(seen.size).toBeGreaterThanOrEqual(4)
    expect(await read("token")).toHaveLength(150)
  })

  it("throws errors without the stored values if the driver fails", async () => {
    const failing = watchedStorage(async ({ args }) => {
      throw Object.assign(new Error(`refused\n${inspect(args)}`), { command: args })
    })
    const linking = (async () => await open(failing).linkAccount({ ...account, access_token: "secret" }))()
    const error: unknown = await linking.catch((reason: unknown) => reason)
    expect(error).toStrictEqual(new Error("Storage: refused"))
  })

  it("times out if the storage does not respond", async () => {
    const silent = watchedStorage(() => new Promise(() => undefined))
    const slow = UnstorageAdapter(silent, { timeoutMilliseconds: 20 })
    await expect((async () => await slow.getUser("ada"))()).rejects.toThrow("Storage: no response within 20 ms")
  })
})
