import { createHash } from "node:crypto"
import { type Adapter, type AdapterSession, hashSessionTokens } from "@latchkey/core/adapters"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { type Browser, fixedClock } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter, testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { listOf } from "../setup/tracked-setup.js"

testAdapter({ name: "hashSessionTokens", create: () => ({ adapter: hashSessionTokens(memoryAdapter()) }) })
testFeatures({ name: "hashSessionTokens", create: () => ({ adapter: hashSessionTokens(memoryAdapter()) }) })

const cookieName = "__Secure-authjs.session-token"
const tokenOf = (browser: Browser) => browser.cookies.list().find(({ name }) => name === cookieName)?.value ?? ""
const toHash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`

interface HashedOptions {
  readonly store?: MemoryAdapter
  readonly isTracked?: boolean
  readonly adapter?: Adapter
}

function openHashed({
  store = memoryAdapter(),
  isTracked = false,
  adapter = hashSessionTokens(store),
}: HashedOptions = {}) {
  const track = isTracked ? { track: trackSessions() } : {}
  const host = openHost({ adapter, session: { strategy: "database", ...track } })
  async function signIn(browser = host.newBrowser()): Promise<Browser> {
    await browser.signIn("oidc")
    return browser
  }
  return { store, host, signIn }
}

/** What a copy of the table holds. */
const leakOf = (store: MemoryAdapter): readonly string[] =>
  store.calls.flatMap(({ args }) => JSON.stringify(args).match(/(?<="sessionToken":")[^"]*/g) ?? [])

describe.each([false, true])("hashed sessions, tracked: %s", (isTracked) => {
  it("DBS-10: store a hash of the token, and accept it as a token nowhere", async () => {
    const { store, host, signIn } = openHashed({ isTracked })
    const browser = await signIn()
    const leaked = leakOf(store)
    expect(leaked.length).toBeGreaterThan(0)
    expect(new Set(leaked)).toEqual(new Set([toHash(tokenOf(browser))]))
    const attacker = host.newBrowser()
    attacker.cookies.set(cookieName, leaked[0] ?? "")
    await attacker.signOut()
    // Again, since a browser without a session loses the cookie.
    attacker.cookies.set(cookieName, leaked[0] ?? "")
    expect(await attacker.session()).toBeNull()
    expect(await browser.session()).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("DBS-10: stay closed to who has the hash in a process that does not wrap the adapter", async () => {
    const { store, signIn } = openHashed({ isTracked })
    const browser = await signIn()
    const attacker = openHashed({ store, isTracked, adapter: store }).host.newBrowser()
    const plant = () => attacker.cookies.set(cookieName, toHash(tokenOf(browser)))
    plant()
    expect(await attacker.session()).toBeNull()
    plant()
    await attacker.signOut()
    expect(await browser.session()).not.toBeNull()
  })

  it("are extended, shown, replaced by a new sign-in, and end with the sign-out", async () => {
    using clock = fixedClock()
    const { host, signIn } = openHashed({ isTracked })
    const browser = await signIn()
    const first = tokenOf(browser)
    clock.advance({ days: 20 })
    expect(await browser.session()).not.toBeNull()
    clock.advance({ days: 20 })
    expect(await browser.session()).not.toBeNull()
    await signIn(browser)
    const thief = host.newBrowser()
    thief.cookies.set(cookieName, first)
    expect(await thief.session()).toBeNull()
    const second = tokenOf(browser)
    await browser.signOut()
    thief.cookies.set(cookieName, second)
    expect(await thief.session()).toBeNull()
    expect(host.events.of("signOut").at(-1)).toMatchObject({ session: { sessionToken: second } })
  })

  it("go on if they were stored with their token, until they end", async () => {
    using clock = fixedClock()
    const store = memoryAdapter()
    const before = openHashed({ store, isTracked, adapter: store })
    const browser = await before.signIn()
    const token = tokenOf(browser)
    const { host, signIn } = openHashed({ store, isTracked })
    const moved = host.newBrowser()
    moved.cookies.set(cookieName, token)
    clock.advance({ days: 20 })
    expect(await moved.session()).not.toBeNull()
    clock.advance({ days: 20 })
    expect(await moved.session()).not.toBeNull()
    await signIn(moved)
    expect(tokenOf(moved)).not.toBe(token)
    expect(await store.getSessionAndUser(token)).toBeNull()
  })
})

describe("hashed sessions", () => {
  it("are listed and ended from another one", async () => {
    const { host, signIn } = openHashed({ isTracked: true })
    const [phone, laptop] = [await signIn(), await signIn()]
    expect(await listOf(phone)).toHaveLength(2)
    const userId = (await host.adapter?.getUserByEmail?.("ada@example.com"))?.id ?? ""
    expect(await signOutEverywhere(host.config, userId)).toBe(2)
    for (const browser of [phone, laptop]) expect(await browser.session()).toBeNull()
  })

  it("are taken over into the list if they were stored before it, with their token", async () => {
    using clock = fixedClock()
    const store = memoryAdapter()
    const browser = await openHashed({ store, adapter: store }).signIn()
    const { host } = openHashed({ store, isTracked: true })
    const moved = host.newBrowser()
    moved.cookies.set(cookieName, tokenOf(browser))
    clock.advance({ days: 20 })
    expect(await listOf(moved)).toMatchObject([{ isCurrent: true }])
  })
})

describe("hashSessionTokens", () => {
  it("keeps what else an adapter has, and adds no method", async () => {
    const { getUser, getSessionAndUser } = memoryAdapter()
    const small = { getUser, getSessionAndUser, migrate: () => "migrated" }
    const hashed = hashSessionTokens(small)
    expect(Object.keys(hashed)).toEqual(Object.keys(small))
    expect([hashed.migrate(), await hashed.getUser("nobody")]).toEqual(["migrated", null])
  })

  it("DBS-10: takes no hash for a token, shows none, and stores no token within a transaction", async () => {
    const store = memoryAdapter()
    // Like a database, which passes the adapter of the transaction.
    const transaction: MemoryAdapter["transaction"] = (work) => work(store)
    const hashed = hashSessionTokens({ ...store, transaction })
    const { id: userId } = await hashed.createUser({ id: "u", email: "u@corp.test", emailVerified: null })
    const expires = new Date("2037-01-01T00:00:00.000Z")
    const row = { sessionToken: "a-token-of-the-cookie", userId, expires }
    const usual = { ...{ provider: "oidc", providerAccountId: "u", providerSession: null, amr: "", label: null } }
    const seen = { createdAt: new Date(), lastSeenAt: new Date(), expires, userAgent: null, network: null }
    const detail = { ...usual, ...seen, id: "d", userId, sessionToken: row.sessionToken }
    await hashed.transaction((within) => within.createSessionDetail?.(detail, { session: row }) as Promise<boolean>)
    expect(new Set(leakOf(store))).toEqual(new Set([toHash(row.sessionToken)]))
    expect(await hashed.listSessionsByUserId(userId)).toMatchObject([{ id: "d", sessionToken: null }])
    expect(await hashed.updateSession({ sessionToken: toHash(row.sessionToken), expires: new Date(0) })).toBeNull()
    await hashed.deleteSession(toHash(row.sessionToken))
    expect((await hashed.getSessionAndUser(row.sessionToken))?.session).toEqual(row)
    const use = { id: "d", userId, seenAt: new Date(), expires }
    expect(await hashed.seeSession(use)).toMatchObject({ id: "d", sessionToken: null })
  })

  it("takes a method for missing that is undefined", async () => {
    const { transaction: _, ...rest } = memoryAdapter()
    const unsure: object = { ...rest, transaction: undefined }
    const { host, signIn } = openHashed({ adapter: hashSessionTokens(unsure as Adapter) }) // as: of an app in JavaScript.
    expect(await (await signIn()).session()).toMatchObject({ user: { email: "ada@example.com" } })
    expect(host.logger.errors).toEqual([])
  })

  it.each(["uppercase", "zero-width"])(
    "DBS-10: ends no session for a hash that only the store takes for it: %s",
    async (way) => {
      const store = memoryAdapter()
      const fold = (token: string) => token.replace("\u200b", "").toLowerCase()
      const { host, signIn } = openHashed({
        adapter: hashSessionTokens({
          ...store,
          createSession: (session) => store.createSession({ ...session, sessionToken: fold(session.sessionToken) }),
          getSessionAndUser: (token) => store.getSessionAndUser(fold(token)),
          deleteSession: (token) => store.deleteSession(fold(token)),
        }),
      })
      const browser = await signIn()
      const hash = toHash(tokenOf(browser))
      const attacker = host.newBrowser()
      attacker.cookies.set(cookieName, way === "uppercase" ? hash.toUpperCase() : encodeURIComponent(`\u200b${hash}`))
      await attacker.signOut()
      expect(await browser.session()).not.toBeNull()
    },
  )

  it("takes a session without a row for missing", async () => {
    const store = memoryAdapter()
    const nothing = { session: null, user: null } as never // as: of adapters in JavaScript.
    const hashed = hashSessionTokens({
      ...store,
      getSessionAndUser: async (token) => (await store.getSessionAndUser(token)) ?? nothing,
    })
    const { id: userId } = await store.createUser({ id: "u", email: "u@corp.test", emailVerified: null })
    await store.createSession({
      sessionToken: "a-token-of-before",
      userId,
      expires: new Date("2037-01-01T00:00:00.000Z"),
    })
    expect(await hashed.getSessionAndUser("a-token-of-before")).toMatchObject({ user: { id: "u" } })
    await hashed.deleteSession("a-token-of-before")
    expect(await store.getSessionAndUser("a-token-of-before")).toBeNull()
  })

  it("takes an instance of a class, with rows of its own", async () => {
    class Row implements AdapterSession {
      readonly #token: string
      readonly userId = "u"
      readonly expires = new Date("2037-01-01T00:00:00.000Z")
      constructor(token: string) {
        this.#token = token
      }
      get sessionToken() {
        return this.#token
      }
    }
    class Database implements Adapter {
      readonly #rows = new Map<string, AdapterSession>()
      async createSession({ sessionToken }: AdapterSession) {
        this.#rows.set(sessionToken, new Row(sessionToken))
        return new Row(sessionToken)
      }
      async getSessionAndUser(token: string) {
        const session = this.#rows.get(token)
        return session ? { session, user: { id: "u", email: "u@corp.test", emailVerified: null } } : null
      }
      async deleteSession(token: string) {
        this.#rows.delete(token)
      }
    }
    const database = new Database()
    const hashed = hashSessionTokens(database)
    const { sessionToken } = await hashed.createSession(new Row("a-token-of-the-cookie"))
    const found = await hashed.getSessionAndUser("a-token-of-the-cookie")
    expect([hashed instanceof Database, sessionToken, found?.session.sessionToken, found?.session.userId]).toEqual([
      true,
      "a-token-of-the-cookie",
      "a-token-of-the-cookie",
      "u",
    ])
    expect(await database.getSessionAndUser("a-token-of-the-cookie")).toBeNull()
    await hashed.deleteSession("a-token-of-the-cookie")
    expect(await database.getSessionAndUser(toHash("a-token-of-the-cookie"))).toBeNull()
  })
})
