import { RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import { hasProgram, type StoreServer } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { withRedis } from "./redis-setup.js"
import { listKeys } from "./watched-client.js"

const expires = new Date("2040-01-01T00:00:00.123Z")
const account = { userId: "ada", type: "oidc", provider: "harbour", providerAccountId: "1" } as const

describe("RedisAdapter", () => {
  it("rejects an invalid client", () => {
    for (const client of [{}, { get: () => null }, []]) {
      expect(() => RedisAdapter(client as never)).toThrow("`ioredis` or `redis`")
    }
  })

  it("rejects a prefix with braces and a timeout that timers do not support", () => {
    const client = new Redis({ lazyConnect: true })
    for (const prefix of ["{auth}", "a{b", "}"])
      expect(() => RedisAdapter(client, { prefix })).toThrow("must not contain braces")
    for (const timeoutMilliseconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      expect(() => RedisAdapter(client, { timeoutMilliseconds })).toThrow("positive number of milliseconds")
    }
  })
})

describe.skipIf(!hasProgram("redis-server"))("RedisAdapter with a server", () => {
  let server: StoreServer
  let client: Redis
  let prefix: string
  let adapter: RedisMethods

  withRedis((started, itsServer) => {
    client = started
    server = itsServer
  })
  beforeEach(async () => {
    prefix = crypto.randomUUID()
    adapter = RedisAdapter(client, { prefix })
    await adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
  })

  const keyOf = async (kind: string) => {
    const found = (await listKeys(client, prefix)).filter((key) => key.startsWith(`${prefix}:${kind}:`))
    expect(found).toHaveLength(1)
    return found[0] ?? ""
  }

  it("lets the server expire sessions, tokens and consumed ids, and nothing else", async () => {
    await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
    await adapter.createVerificationToken({ identifier: "ada@example.com", token: "hash", expires })
    await adapter.consumeOnce("flow", expires)
    await adapter.linkAccount(account)
    for (const kind of ["session", "sessions", "token", "spent"]) {
      expect(await client.pexpiretime(await keyOf(kind))).toBe(expires.valueOf())
    }
    for (const kind of ["user", "email", "account", "accounts"]) {
      expect(await client.pexpiretime(await keyOf(kind))).toBe(-1)
    }
  })

  it("extends the expiry of a session and of the user's list", async () => {
    const later = new Date("2041-01-01T00:00:00.456Z")
    await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
    await adapter.updateSession({ sessionToken: "sesame", expires: later })
    expect(await client.pexpiretime(await keyOf("session"))).toBe(later.valueOf())
    expect(await client.pexpiretime(await keyOf("sessions"))).toBe(later.valueOf())
  })

  it("keeps nothing of changes of accounts that are gone, with their users or without", async () => {
    const change = (id: string, userId = "ada") => ({ id, userId, kind: "deletion", value: "sealed", expires })
    await adapter.createUser({ id: "ben", email: "ben@example.com", emailVerified: null })
    for (const made of [change("one"), change("two"), change("three", "ben")]) await adapter.createAccountChange(made)
    await adapter.deleteAccountChange(change("one"))
    await adapter.deleteUser("ben")
    expect(await adapter.listAccountChanges({ kind: "deletion" })).toEqual([change("two")])
    await adapter.deleteUser("ada")
    expect(await adapter.listAccountChanges({ kind: "deletion" })).toEqual([])
    const taken = (await listKeys(client, prefix)).filter((key) => !key.startsWith(`${prefix}:account-change:`))
    expect(taken).toEqual([])
  })

  it("removes changes of accounts that have expired from those of their kind", async () => {
    const soon = new Date(Date.now() + 50)
    const change = { id: "one", userId: "ada", kind: "email", value: "sealed", expires: soon }
    await adapter.createAccountChange(change)
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(soon.valueOf()))
    await adapter.createAccountChange({ ...change, id: "two", expires })
    expect(await client.zcard(await keyOf("kind"))).toBe(1)
  })

  it("indexes no session from before tracking, which has no account", async () => {
    const named = { provider: "", providerAccountId: "", providerSession: null, amr: "" }
    const unknown = { userAgent: null, network: null, label: null }
    const [createdAt, lastSeenAt] = [new Date(), new Date()]
    const detail = {
      id: "one",
      userId: "ada",
      sessionToken: null,
      ...named,
      createdAt,
      lastSeenAt,
      expires,
      ...unknown,
    }
    await adapter.createSessionDetail(detail)
    await adapter.seeSession({
      id: "one",
      userId: "ada",
      seenAt: new Date(),
      expires: new Date("2042-01-01T00:00:00Z"),
    })
    expect((await listKeys(client, prefix)).filter((key) => key.includes(":began-"))).toEqual([])
    expect(await adapter.listSessionsByUserId("ada")).toHaveLength(1)
  })

  it("replaces an expired session", async () => {
    const past = new Date("2020-01-01T00:00:00.000Z")
    await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires: past })
    expect(await adapter.getSessionAndUser("sesame")).toBeNull()
    await adapter.createSession({ sessionToken: "sesame", userId: "ada", expires })
    expect(await adapter.getSessionAndUser("sesame")).toMatchObject({ session: { expires } })
    await adapter.updateSession({ sessionToken: "sesame", expires: past })
    expect(await adapter.getSessionAndUser("sesame")).toBeNull()
  })

  it("removes deleted and expired sessions from the user's list", async () => {
    await adapter.createSession({ sessionToken: "old", userId: "ada", expires: new Date(Date.now() + 30) })
    await adapter.createSession({ sessionToken: "ended", userId: "ada", expires })
    await adapter.deleteSession("ended")
    await expect.poll(() => adapter.getSessionAndUser("old")).toBeNull()
    await adapter.createSession({ sessionToken: "new", userId: "ada", expires })
    expect(await client.zcard(await keyOf("sessions"))).toBe(1)
  })

  it("stores no session token that would allow sign-in with a copy of the store", async () => {
    await adapter.createSession({ sessionToken: "sesame-open-up", userId: "ada", expires })
    await adapter.updateSession({ sessionToken: "sesame-open-up", expires })
    for (const key of await listKeys(client, prefix)) {
      const held = (await client.type(key)) === "hash" ? await client.hgetall(key) : await client.zrange(key, "0", "-1")
      expect(JSON.stringify([key, held])).not.toContain("sesame")
    }
  })

  it("ADP-02: uses only digests in keys, whatever the values", async () => {
    const id = "a}:{b"
    await adapter.createUser({ id, email: "x{}@example.com", emailVerified: null })
    await adapter.linkAccount({ ...account, userId: id, provider: "{a}", providerAccountId: "b\r\nFLUSHALL\r\n" })
    await adapter.createSession({ sessionToken: "t:{*}?", userId: id, expires })
    await adapter.createVerificationToken({ identifier: "{$gt:}", token: "$.x", expires })
    const names = (await listKeys(client, prefix)).map((key) => key.slice(prefix.length))
    for (const name of names) expect(name).toMatch(/^:[a-z]+:\{[\w-]{43}\}$/)
    expect(await adapter.getSessionAndUser("t:{*}?")).toMatchObject({ user: { id } })
  })

  it("ADP-02: does not find records by differently split or typed ids", async () => {
    await adapter.linkAccount({ ...account, provider: "a", providerAccountId: "b:c" })
    expect(await adapter.getAccount("c", "a:b")).toBeNull()
    expect(await adapter.getAccount('c"]', 'a","b')).toBeNull()
    expect(await adapter.getUserByAccount({ provider: "a", providerAccountId: ["b:c"] as never })).toBeNull()
    expect(await adapter.getUser({ toString: () => "ada" } as never)).toBeNull()
  })

  it("keeps the host's own fields with their types", async () => {
    const own = {
      roles: [],
      limits: {},
      nested: { a: [1.5, null, { b: true }], big: 9_007_199_254_740_991, small: -1e-7 },
      since: new Date("2026-01-02T03:04:05.006Z"),
      textOfDate: "@2026-01-02T03:04:05.006Z",
      number: "12",
      isAdmin: false,
      nothing: null,
      text: 'with "quotes", \0 and \ud800 half a character',
      born: "me",
      claim: "mine",
      ".email": "dotted",
    }
    const user = { id: "ben", email: "ben@example.com", emailVerified: null, ...own, absent: undefined }
    const { absent: _, ...expected } = user
    expect(await adapter.createUser(user)).toStrictEqual(expected)
    expect(await adapter.getUserByEmail("ben@example.com")).toStrictEqual(expected)
    const changes = { isAdmin: true, nested: [[]], since: null }
    await adapter.updateUser({ id: "ben", ...changes })
    expect(await adapter.getUser("ben")).toStrictEqual({ ...expected, ...changes })
    await adapter.createSession({ sessionToken: "t", userId: "ben", expires, ...{ device: { os: "x" } } })
    expect((await adapter.getSessionAndUser("t"))?.session).toStrictEqual({
      sessionToken: "t",
      userId: "ben",
      expires,
      device: { os: "x" },
    })
  })

  it("ADP-03: separates its own fields from the host's fields of the same name", async () => {
    const fields = Object.fromEntries(
      ["born", "claim", "fresh", "address", "by", "__proto__"].map((name) => [name, "x"]),
    )
    await adapter.updateUser({ id: "ada", ...fields })
    expect(await adapter.getUserByEmail("ada@example.com")).toMatchObject({ id: "ada", fresh: "x" })
    expect(Object.getPrototypeOf(await adapter.getUser("ada"))).toBe(Object.prototype)
    await adapter.updateUser({ id: "ada", ...{ email: "new@example.com" } })
    expect(await adapter.getUserByEmail("ada@example.com")).toBeNull()
  })

  it("rejects values that cannot be restored", async () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol("x"), new Date(Number.NaN)]) {
      await expect(adapter.updateUser({ id: "ada", ...{ own: value } })).rejects.toThrow("own must be")
    }
    const invalidDate = new Date(Number.NaN)
    await expect(adapter.createSession({ sessionToken: "t", userId: "ada", expires: invalidDate })).rejects.toThrow(
      "must be a valid date",
    )
    await expect(adapter.consumeOnce("x", invalidDate)).rejects.toThrow("must be a valid date")
    await expect(adapter.updateAuthenticatorCounter("key", Number.NaN)).rejects.toThrow("must be a finite number")
  })

  it("rejects a session and an account of a missing user", async () => {
    const missing = { userId: "eve", expires }
    await expect(adapter.createSession({ sessionToken: "t", ...missing })).rejects.toThrow("does not exist")
    await expect(adapter.linkAccount({ ...account, userId: "eve" })).rejects.toThrow("does not exist")
  })

  it("rejects a second user with the same id and keeps the first", async () => {
    await expect(adapter.createUser({ id: "ada", email: "eve@example.com", emailVerified: null })).rejects.toThrow(
      "the id is taken",
    )
    expect(await adapter.getUser("ada")).toMatchObject({ email: "ada@example.com" })
    expect(await adapter.getUserByEmail("eve@example.com")).toBeNull()
    expect(await listKeys(client, prefix)).toHaveLength(2)
  })

  it("leaves nothing behind after a rejected user or email", async () => {
    const before = (await listKeys(client, prefix)).toSorted()
    await expect(adapter.createUser({ id: "eve", email: "ada@example.com", emailVerified: null })).rejects.toThrow(
      "taken",
    )
    expect((await listKeys(client, prefix)).toSorted()).toEqual(before)
    await adapter.createUser({ id: "ben", email: "ben@example.com", emailVerified: null })
    await expect(adapter.updateUser({ id: "ben", email: "ada@example.com" })).rejects.toThrow("taken")
    expect((await listKeys(client, prefix)).filter((key) => key.includes(":change:"))).toEqual([])
    await adapter.deleteUser("ben")
    expect((await listKeys(client, prefix)).toSorted()).toEqual(before)
  })

  it("creates an id for a user without one", async () => {
    const user = await adapter.createUser({ email: "b@example.com", emailVerified: null } as never)
    expect(user.id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("allows several users without an email, who can get and lose one", async () => {
    for (const id of ["b", "c"]) await adapter.createUser({ id, email: null, emailVerified: null } as never)
    expect(await adapter.getUserByEmail(null as never)).toBeNull()
    expect(await adapter.getUser("c")).toMatchObject({ email: null })
    await adapter.updateUser({ id: "c", email: "c@example.com" })
    expect(await adapter.getUserByEmail("c@example.com")).toMatchObject({ id: "c" })
    await adapter.updateUser({ id: "c", email: null as never })
    expect(await adapter.getUserByEmail("c@example.com")).toBeNull()
    await adapter.updateUser({ id: "b", email: "c@example.com" })
    expect(await adapter.getUserByEmail("c@example.com")).toMatchObject({ id: "b" })
  })

  it("gives a free email to a user and releases the old one", async () => {
    await adapter.createUser({ id: "ben", email: "ben@example.com", emailVerified: null })
    await expect(adapter.updateUser({ id: "ben", email: "ada@example.com", name: "Ben" })).rejects.toThrow("is taken")
    expect(await adapter.getUser("ben")).toStrictEqual({ id: "ben", email: "ben@example.com", emailVerified: null })
    expect(await adapter.updateUser({ id: "ben", email: "b@example.com" })).toMatchObject({ email: "b@example.com" })
    expect(await adapter.getUserByEmail("ben@example.com")).toBeNull()
    expect(await adapter.updateUser({ id: "ada", email: "ben@example.com" })).toMatchObject({ id: "ada" })
    expect(await adapter.updateUser({ id: "ada", email: "ben@example.com", name: "Ada" })).toMatchObject({
      name: "Ada",
    })
    expect(await adapter.getUserByEmail("ben@example.com")).toMatchObject({ id: "ada", name: "Ada" })
  })

  it("gives a new email to one of fifty users who want it", async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `user-${index}`)
    for (const id of ids) await adapter.createUser({ id, email: `${id}@example.com`, emailVerified: null })
    const outcomes = await Promise.allSettled(ids.map(async (id) => await adapter.updateUser({ id, email: "x@x" })))
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1)
    const users = await Promise.all(ids.map((id) => adapter.getUser(id)))
    const winners = users.filter((user) => user?.email === "x@x")
    expect(winners).toHaveLength(1)
    expect(await adapter.getUserByEmail("x@x")).toEqual(winners[0])
  })

  it("leaves nothing visible if a user is deleted during fifty concurrent writes", async () => {
    const kindsOfWrites: readonly ((index: number) => unknown)[] = [
      (index) => adapter.updateUser({ id: "ada", name: `${index}` }),
      (index) => adapter.createSession({ sessionToken: `${index}`, userId: "ada", expires }),
      (index) => adapter.linkAccount({ ...account, providerAccountId: `${index}` }),
      (index) => adapter.updateUser({ id: "ada", email: `${index}@example.com` }),
      () => adapter.markEmailVerified({ userId: "ada", email: "ada@example.com", provider: "harbour" }),
    ]
    const writes = Array.from({ length: 50 }, (_, index) => async () => {
      if (index === 25) await adapter.deleteUser("ada")
      else await kindsOfWrites[index % kindsOfWrites.length]?.(index)
    })
    await Promise.allSettled(writes.map((write) => write()))
    expect(await adapter.getUser("ada")).toBeNull()
    const kinds = (await listKeys(client, prefix)).map((key) => key.split(":")[1])
    expect(kinds.filter((kind) => !["session", "email"].includes(kind ?? ""))).toEqual([])
    for (const index of writes.keys()) {
      expect(await adapter.getSessionAndUser(`${index}`)).toBeNull()
      expect(await adapter.getUserByEmail(`${index}@example.com`)).toBeNull()
    }
  })

  it("separates two services in one Redis", async () => {
    const other = RedisAdapter(client, { prefix: `${prefix}2` })
    expect(await other.getUserByEmail("ada@example.com")).toBeNull()
    expect(await other.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })).toMatchObject({
      id: "ada",
    })
  })

  it("works with the client's own key prefix", async () => {
    const prefixed = new Redis(server.url, { keyPrefix: "app:" })
    const own = RedisAdapter(prefixed, { prefix })
    await own.createUser({ id: "ben", email: "ben@example.com", emailVerified: null })
    await own.linkAccount({ ...account, userId: "ben" })
    expect(await own.getUserByAccount(account)).toMatchObject({ id: "ben" })
    await own.deleteUser("ben")
    expect(await client.keys(`app:${prefix}*`)).toEqual([])
    prefixed.disconnect()
  })

  it("keeps the owner of a session", async () => {
    await adapter.createUser({ id: "ben", email: "ben@example.com", emailVerified: null })
    await adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    await adapter.updateSession({ sessionToken: "t", userId: "ben" })
    expect(await adapter.getSessionAndUser("t")).toMatchObject({ session: { userId: "ada" }, user: { id: "ada" } })
  })
})
