import { fixedClock, type MemoryAdapter, memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post, readAnswer } from "./answers.js"
import { openHost } from "./hosts.js"
import { sessionCookie } from "./sign-ins.js"

interface Stored {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** Names of the adapter's methods that were called since the sign-in. */
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

describe("GET /session with a stored session", () => {
  it("answers name, email, image and expiry as text, by one look-up", async () => {
    using clock = fixedClock()
    const { host, calls } = await openSignedIn()
    expect(await host.browser.session()).toStrictEqual({
      user: { name: "Ada Lovelace", email: "ada@example.com", image: "https://idp.test/people/ada.png" },
      expires: inDays(clock.now(), 30).toISOString(),
    })
    expect(calls()).toEqual(["getSessionAndUser"])
  })

  it("asks session with the row and the user, and tells the event what it answered", async () => {
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
  ])("is written %s: %o, %i times (DBS-04, DBS-05)", async (_, span, writes) => {
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

  it("is written at each access with updateAge 0", async () => {
    const { host, calls } = await openSignedIn({ session: { updateAge: 0 } })
    await host.browser.session()
    await host.browser.session()
    expect(calls().filter((name) => name === "updateSession")).toHaveLength(2)
  })

  it("removes an expired row and clears the cookie (DBS-03)", async () => {
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

  it("clears the cookie of an unknown token, and of one whose user is gone (DBS-07)", async () => {
    const { host, adapter } = await openSignedIn()
    await adapter.deleteUser((await adapter.getUserByEmail("ada@example.com"))?.id ?? "")
    const answer = await get(host.browser, "/auth/session")
    expect([answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual(["null", ""])
    expect(host.logger.errors).toEqual([])
  })

  it("keeps the cookie and answers null while the store is away (DBS-08)", async () => {
    const adapter = memoryAdapter()
    const state = { isAway: false }
    const getSessionAndUser: MemoryAdapter["getSessionAndUser"] = (token) =>
      state.isAway ? Promise.reject(new Error("connection refused")) : adapter.getSessionAndUser(token)
    const host = openHost({ adapter: { ...adapter, getSessionAndUser } })
    await host.browser.signIn("oidc")
    state.isAway = true
    const answer = await get(host.browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.has(sessionCookie)]).toEqual([200, "null", false])
    expect(host.logger.errorTypes()).toContain("SessionTokenError")
    state.isAway = false
    expect(await host.browser.session()).not.toBeNull()
  })

  it.each(["' OR 1=1--", "x%00", encodeURIComponent('{"$ne":null}'), "a".repeat(1025)])(
    "%s finds nothing (DBS-06)",
    async (token) => {
      const { host } = await openSignedIn()
      host.browser.cookies.set(sessionCookie, token)
      expect(await host.browser.session()).toBeNull()
    },
  )
})

describe("POST /session with a stored session", () => {
  it("hands the data to session, with the trigger update", async () => {
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

describe("POST /signout with a stored session", () => {
  it("removes the row, clears the cookie and tells the event (DBS-09)", async () => {
    const { host, adapter, calls } = await openSignedIn()
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    const answer = await post(host.browser, "/auth/signout")
    expect(answer.cookies.get(sessionCookie)?.value).toBe("")
    expect(calls()).toContain("deleteSession")
    expect(host.events.of("signOut")).toEqual([{ session: expect.objectContaining({ sessionToken: token }) }])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
  })

  it("clears the cookie also when the store fails, and logs it", async () => {
    const adapter = memoryAdapter()
    const deleteSession = () => Promise.reject(new Error("connection refused"))
    const host = openHost({ adapter: { ...adapter, deleteSession } })
    await host.browser.signIn("oidc")
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/bye" })
    expect([answer.location, answer.cookies.get(sessionCookie)?.value]).toEqual(["https://app.test/bye", ""])
    expect(host.logger.errorTypes()).toContain("SignOutError")
  })
})

describe("the token of a stored session", () => {
  it("is 32 random bytes, and new at each sign-in (DBS-02)", async () => {
    const { host } = await openSignedIn()
    const first = host.browser.cookies.get(sessionCookie)
    await host.browser.signOut()
    await host.browser.signIn("oidc")
    const second = host.browser.cookies.get(sessionCookie)
    expect([first, second]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(first).not.toBe(second)
  })

  it("is the host's where it makes its own", async () => {
    const generateSessionToken = () => `own-${crypto.randomUUID()}`
    const { host } = await openSignedIn({ session: { generateSessionToken } })
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^own-/)
  })

  it.each(["", "1"])("is refused when the host makes %j (DBS-02)", async (token) => {
    const host = openHost({ adapter: memoryAdapter(), session: { generateSessionToken: () => token } })
    const page = await host.browser.signIn("oidc")
    expect([page.url.search, host.logger.errorTypes()]).toEqual(["?error=Configuration", ["InvalidConfiguration"]])
    expect(await host.browser.session()).toBeNull()
  })
})
