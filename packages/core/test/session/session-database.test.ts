import {
  fixedClock,
  type MemoryAdapter,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post, readAnswer } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

interface Stored {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** Names of the adapter methods called since the sign-in. */
  calls(): readonly string[]
}

async function openSignedIn(options: TestHostOptions = {}): Promise<Stored> {
  const adapter = memoryAdapter()
  const host = openHost({ adapter, ...options })
  await host.browser.signIn("oidc")
  const start = adapter.calls.length
  host.events.clear()
  return { host, adapter, calls: () => adapter.calls.slice(start).map(({ method }) => method) }
}

const expiryOf = (answer: { cookies: ReadonlyMap<string, { attributes: readonly string[] }> }) =>
  answer.cookies.get(sessionCookie)?.attributes.find((attribute) => attribute.startsWith("Expires="))

const inDays = (start: number, days: number) => new Date(start + days * 24 * 60 * 60 * 1000)

describe("GET /session with a database session", () => {
  it("returns name, email, image and expiry as text, with one query", async () => {
    using clock = fixedClock()
    const { host, calls } = await openSignedIn()
    expect(await host.browser.session()).toStrictEqual({
      user: { name: "Ada Lovelace", email: "ada@example.com", image: "https://idp.test/people/ada.png" },
      expires: inDays(clock.now(), 30).toISOString(),
    })
    expect(calls()).toEqual(["getSessionAndUser"])
  })

  it("calls the session callback with the row and the user, and sends its result to the event", async () => {
    using clock = fixedClock()
    const asked: unknown[] = []
    const { host } = await openSignedIn({
      callbacks: {
        session(params) {
          asked.push(params)
          return { ...params.session, expires: "soon", user: { name: params.user.email } }
        },
      },
    })
    const answer = await get(host.browser, "/auth/session")
    const user = expect.objectContaining({ id: expect.any(String), email: "ada@example.com", emailVerified: null })
    const row = { sessionToken: expect.any(String), userId: expect.any(String), expires: inDays(clock.now(), 30) }
    expect(asked).toEqual([{ session: { ...row, user }, user }])
    expect(answer.json()).toMatchObject({ expires: "soon", user: { name: "ada@example.com" } })
    expect(host.events.of("session")).toEqual([{ session: expect.objectContaining({ expires: "soon" }) }])
  })

  it.each([
    ["one second before updateAge", { hours: 23, minutes: 59, seconds: 59 }, 0],
    ["at updateAge", { days: 1 }, 1],
    ["after it", { days: 1, seconds: 1 }, 1],
  ])("DBS-04, DBS-05: %s (%o) writes the row %i times", async (_, span, writes) => {
    using clock = fixedClock()
    const start = clock.now()
    const { host, calls, adapter } = await openSignedIn()
    clock.advance(span)
    const answer = await get(host.browser, "/auth/session")
    expect(calls().filter((name) => name === "updateSession")).toHaveLength(writes)
    const expires = inDays(writes ? clock.now() : start, 30)
    expect(expiryOf(answer)).toBe(`Expires=${expires.toUTCString()}`)
    const found = await adapter.getSessionAndUser(host.browser.cookies.get(sessionCookie) ?? "")
    expect(found?.session.expires).toEqual(expires)
  })

  it.each([900, 3600, 86_400])(
    "DBS-04: keeps a session of %i seconds that is used, without updateAge",
    async (maxAge) => {
      using clock = fixedClock()
      const { host, calls } = await openSignedIn({ session: { maxAge } })
      for (let time = 0; time < 2 * maxAge; time += maxAge / 20) {
        clock.advance({ seconds: maxAge / 20 })
        expect((await get(host.browser, "/auth/session")).json()).not.toBeNull()
      }
      expect(calls().filter((name) => name === "updateSession")).toHaveLength(20)
    },
  )

  it("writes the row at each access with updateAge 0", async () => {
    const { host, calls } = await openSignedIn({ session: { updateAge: 0 } })
    await host.browser.session()
    await host.browser.session()
    expect(calls().filter((name) => name === "updateSession")).toHaveLength(2)
  })

  it("DBS-03: deletes an expired row and clears the cookie", async () => {
    using clock = fixedClock()
    const { host, adapter, calls } = await openSignedIn()
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    clock.advance({ days: 30, seconds: 1 })
    host.browser.cookies.set(sessionCookie, token, { expiresAt: null })
    const answer = await get(host.browser, "/auth/session")
    expect([answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual(["null", ""])
    expect(calls()).toEqual(["getSessionAndUser", "deleteSession"])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
  })

  it("DBS-07: clears the cookie of an unknown token, and of a deleted user", async () => {
    const { host, adapter } = await openSignedIn()
    await adapter.deleteUser((await adapter.getUserByEmail("ada@example.com"))?.id ?? "")
    const answer = await get(host.browser, "/auth/session")
    expect([answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual(["null", ""])
    expect(host.logger.errors).toEqual([])
  })

  it("DBS-08, DBS-12: keeps the cookie and returns null as unknown while the store is down, and logs it once", async () => {
    const adapter = memoryAdapter()
    const state = { isAway: false }
    const getSessionAndUser: MemoryAdapter["getSessionAndUser"] = (token) =>
      state.isAway ? Promise.reject(new Error("connection refused")) : adapter.getSessionAndUser(token)
    const host = openHost({ adapter: { ...adapter, getSessionAndUser } })
    await host.browser.signIn("oidc")
    state.isAway = true
    const answer = await get(host.browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.has(sessionCookie)]).toEqual([200, "null", false])
    expect(answer.headers.get("latchkey-session")).toBe("unknown")
    expect((await get(host.browser, "/auth/session")).text).toBe("null")
    expect(host.logger.errorTypes()).toEqual(["AdapterError"])
    state.isAway = false
    expect(await host.browser.session()).not.toBeNull()
    expect((await get(host.browser, "/auth/session")).headers.has("latchkey-session")).toBe(false)
    state.isAway = true
    await get(host.browser, "/auth/session")
    expect(host.logger.errorTypes()).toEqual(["AdapterError", "AdapterError"])
  })

  it.each([
    ["", "nothing"],
    ["' OR 1=1--", "SQL"],
    ["x%00", "a NUL byte"],
    [encodeURIComponent('{"$ne":null}'), "an operator"],
    ["a".repeat(1025), "more than a kilobyte"],
    ["a".repeat(1024 * 1024), "a megabyte"],
  ])("DBS-06: finds nothing by %#, %2$s; the store is only queried for short text", async (token) => {
    const { host, adapter } = await openSignedIn()
    const before = adapter.calls.length
    const headers = { cookie: `${sessionCookie}=${token}` }
    const answer = await readAnswer(await host.handler(new Request("https://app.test/auth/session", { headers })))
    // A header of a megabyte may be rejected unread.
    expect(answer.text === "null" || answer.status >= 400).toBe(true)
    for (const { method, args } of adapter.calls.slice(before)) {
      expect([method, typeof args[0], String(args[0]).length <= 1024]).toEqual([method, "string", true])
    }
    expect(await host.browser.session()).not.toBeNull()
  })
})

describe("POST /session with a database session", () => {
  it("passes the data to the session callback with the trigger update", async () => {
    const asked: unknown[] = []
    const { host } = await openSignedIn({
      callbacks: {
        session(params) {
          asked.push({ newSession: params.newSession, trigger: params.trigger })
          return { ...params.session, expires: "" }
        },
      },
    })
    const csrfToken = await host.browser.csrfToken()
    const response = await host.browser.fetch("/auth/session", { json: { csrfToken, data: { theme: "dark" } } })
    expect((await readAnswer(response)).status).toBe(200)
    await host.browser.session()
    expect(asked).toEqual([
      { newSession: { theme: "dark" }, trigger: "update" },
      { newSession: undefined, trigger: undefined },
    ])
  })
})

describe("POST /signout with a database session", () => {
  it("DBS-09: deletes the row, clears the cookie and sends the event; a copied cookie is useless", async () => {
    const { host, adapter, calls } = await openSignedIn()
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    const answer = await post(host.browser, "/auth/signout")
    expect(answer.cookies.get(sessionCookie)?.value).toBe("")
    expect(calls()).toContain("deleteSession")
    expect(host.events.of("signOut")).toEqual([{ session: expect.objectContaining({ sessionToken: token }) }])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
    // Like a browser that kept the cookie.
    host.browser.cookies.set(sessionCookie, token)
    expect(await host.browser.session()).toBeNull()
  })

  it("clears the cookie and logs an error when the store fails", async () => {
    const adapter = memoryAdapter()
    const deleteSession = () => Promise.reject(new Error("connection refused"))
    const host = openHost({ adapter: { ...adapter, deleteSession } })
    await host.browser.signIn("oidc")
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/bye" })
    expect([answer.location, answer.cookies.get(sessionCookie)?.value]).toEqual(["https://app.test/bye", ""])
    expect(host.logger.errorTypes()).toContain("SignOutError")
  })
})

describe("the token of a database session", () => {
  it("DBS-02: is 32 random bytes, and new at each sign-in", async () => {
    const { host } = await openSignedIn()
    const first = host.browser.cookies.get(sessionCookie)
    await host.browser.signOut()
    await host.browser.signIn("oidc")
    const second = host.browser.cookies.get(sessionCookie)
    expect([first, second]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(first).not.toBe(second)
  })

  it("DBS-01: is never one that an attacker planted in the browser", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter })
    host.browser.cookies.set(sessionCookie, "fixed-by-an-attacker")
    await host.browser.signIn("oidc")
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^[0-9a-f]{64}$/)
    const attacker = host.newBrowser()
    attacker.cookies.set(sessionCookie, "fixed-by-an-attacker")
    expect(await attacker.session()).toBeNull()
    expect(adapter.calls.flatMap(({ method, args }) => (method === "createSession" ? args : []))).toHaveLength(1)
  })

  it("DBS-02: is not given to a second user when the app generates the same token twice", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { generateSessionToken: () => "the-same-token-again" } })
    await host.browser.signIn("oidc")
    host.idp.signInAs({ sub: "eve", name: "Eve", email: "eve@evil.test" })
    const eve = host.newBrowser()
    expect((await eve.signIn("oidc")).url.search).toBe("?error=Configuration")
    expect([await eve.session(), (await host.browser.session())?.user?.name]).toEqual([null, "Ada Lovelace"])
    expect(host.logger.errorTypes()).toContain("AdapterError")
  })

  it("DBS-10: is the row's key (documented), and is never logged, not even at debug level", async () => {
    const { host, adapter } = await openSignedIn({ debug: true })
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    host.canaries.watch("the session's token", token)
    expect((await adapter.getSessionAndUser(token))?.session.sessionToken).toBe(token)
    await host.browser.session()
    await host.browser.newTab().session()
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    expect(host.logger.debugs.length).toBeGreaterThan(5)
    expect(host.leaks()).toEqual([])
  })

  it("is the app's if it generates its own", async () => {
    const generateSessionToken = () => `own-${crypto.randomUUID()}`
    const { host } = await openSignedIn({ session: { generateSessionToken } })
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^own-/)
  })

  it.each(["", "1"])("DBS-02: is rejected when the app generates %j", async (token) => {
    const host = openHost({ adapter: memoryAdapter(), session: { generateSessionToken: () => token } })
    const page = await host.browser.signIn("oidc")
    expect([page.url.search, host.logger.errorTypes()]).toEqual(["?error=Configuration", ["InvalidConfiguration"]])
    expect(await host.browser.session()).toBeNull()
  })
})

describe("an expiry as text without a time zone, as some drivers return it", () => {
  afterEach(() => vi.unstubAllEnvs())

  const toText = (date: Date): string => date.toISOString().slice(0, 19).replace("T", " ")

  /** A host with an adapter that returns dates as text, in a process whose zone is hours away from UTC. */
  function openIn(zone: string, options: TestHostOptions = {}): TestHost {
    vi.stubEnv("TZ", zone)
    expect(Math.abs(new Date().getTimezoneOffset())).toBeGreaterThan(200)
    const stored = memoryAdapter()
    const adapter: Partial<MemoryAdapter> = {
      ...stored,
      async getSessionAndUser(token) {
        const found = await stored.getSessionAndUser(token)
        return found && { ...found, session: { ...found.session, expires: toText(found.session.expires) as never } }
      },
      async useVerificationToken(params) {
        const found = await stored.useVerificationToken(params)
        return found && { ...found, expires: toText(found.expires) as never }
      },
    }
    return openHost({ adapter, providers: ({ idp }) => [idp.provider(), testEmail({ maxAge: 3600 })], ...options })
  }

  it.each(["America/New_York", "Asia/Tokyo"])("is in UTC, for a service in %s", async (zone) => {
    using clock = fixedClock()
    const host = openIn(zone, { session: { maxAge: 3600, updateAge: 3600 } })
    await host.browser.signIn("oidc")
    clock.advance({ minutes: 59 })
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    clock.advance({ hours: 2 })
    expect(await host.browser.session()).toBeNull()
    for (const [minutes, error] of [
      [59, null],
      [61, "Verification"],
    ] as const) {
      await host.browser.signIn("email", { email: "v@corp.test" })
      clock.advance({ minutes })
      const page = await host.browser.open(host.mailbox.messages.at(-1)?.url ?? "")
      expect(page.url.searchParams.get("error")).toBe(error)
    }
  })
})
