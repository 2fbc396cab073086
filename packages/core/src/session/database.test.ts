import { runInNewContext } from "node:vm"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { testSessions } from "../../test/session/session-strategies.suite.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { type SessionHost, sessionCookie, sessionSetup, vera } from "../../test/setup/session-setup.js"
import { readCookies } from "../http/cookies.js"
import type { AdapterSession } from "../types/adapter.js"
import { databaseSessions } from "./database.js"

const { name } = sessionCookie
const day = 24 * 60 * 60
const cleared = { ...sessionCookie, value: "", options: { ...sessionCookie.options, maxAge: 0 } }
const walt = { ...vera, id: "walt", name: "Walt", email: "walt@corp.test" }
const credentials = { provider: "credentials", providerAccountId: "vera", type: "credentials" } as const

const setUp = (host?: SessionHost) => sessionSetup(databaseSessions, host)
const down = () => Promise.reject(new Error("connection lost"))

/** Returns the adapter's calls since the last time. */
function callsSince({ adapter }: Pick<ReturnType<typeof setUp>, "adapter">) {
  let seen = adapter.calls.length
  return () => {
    const fresh = adapter.calls.slice(seen).map(({ method }) => method)
    seen = adapter.calls.length
    return fresh
  }
}

testSessions("database", databaseSessions, { failure: "SessionTokenError" })

describe("database sessions: start", () => {
  const unusable = ["", "1", "x".repeat(15), "x".repeat(1000), undefined, 1234567890123456]
  it.each(unusable)("DBS-02: rejects the generated token %j", async (token) => {
    const { start, adapter } = setUp({ generateSessionToken: () => token as string })
    const { error } = await failureOf(start())
    expect([error.type, error.message.split(":")[0]]).toEqual(["InvalidConfiguration", "session.generateSessionToken"])
    expect(adapter.calls.map(({ method }) => method)).not.toContain("createSession")
  })

  it("DBS-02: hears the rejection of an async generateSessionToken, which would end the process", async () => {
    // as: apps in JavaScript may return anything.
    const { start } = setUp({ generateSessionToken: (async () => Promise.reject(new Error("no entropy"))) as never })
    expect((await failureOf(start())).error.type).toBe("InvalidConfiguration")
  })

  it.each(["0123456789abcdef", "x".repeat(999)])("DBS-02: accepts the generated token %j", async (token) => {
    const { start, check } = setUp({ generateSessionToken: () => token })
    const [cookie] = await start()
    expect([cookie?.value, (await check()).session !== null]).toEqual([token, true])
  })

  it("DBS-02: rejects a generated token that another session has", async () => {
    const { start, adapter, browser } = setUp({ generateSessionToken: () => "always-the-same-token" })
    await start()
    browser.keep([cleared])
    expect((await failureOf(start({ user: walt }))).error.type).toBe("AdapterError")
    expect((await adapter.getSessionAndUser("always-the-same-token"))?.user.id).toBe("vera")
  })

  it("CRED-08: rejects credentials of a user whom the adapter does not know, with an error that says so", async () => {
    // Some stores compare without regard to case.
    const getUser = vi.fn(async (id: string) => (id === "VERA" ? vera : null))
    const { sessions, browser } = setUp({ adapter: { getUser } })
    for (const user of [vera, { name: "no id" }, { ...vera, id: "" }, { ...vera, id: "VERA" }]) {
      const facts = { isNewUser: false, isSignedInAlready: false, isUserFromHost: true }
      const signedIn = { user, account: credentials, achieved: ["pwd"], ...facts }
      const { error } = await failureOf(Promise.resolve(sessions.start(signedIn, { cookies: browser.jar() })))
      expect(error.type).toBe("InvalidConfiguration")
      expect(error.message).toMatch(/^providers\.credentials\.authorize: .*the adapter knows/)
    }
    expect(getUser.mock.calls).toEqual([["vera"], ["VERA"]])
  })

  it("stores token, user and expiry, as the contract says", async () => {
    using clock = fixedClock()
    const { start, adapter } = setUp({ maxAge: 3600 })
    await adapter.createUser(vera)
    const before = adapter.calls.length
    const [cookie] = await start()
    const expires = new Date(clock.now() + 3_600_000)
    const args = [{ sessionToken: cookie?.value, userId: "vera", expires }]
    // The first call is the setup's own, which looks for the user.
    expect(adapter.calls.slice(before + 1)).toEqual([{ method: "createSession", args }])
  })

  it("DBS-01: never reuses a token that the browser sent", async () => {
    const { start, browser, adapter } = setUp()
    browser.set(name, "fixed-by-the-attacker")
    await start()
    expect(await adapter.getSessionAndUser("fixed-by-the-attacker")).toBeNull()
    expect(await adapter.getSessionAndUser(browser.get(name) ?? "")).not.toBeNull()
  })

  it("deletes the session of another user in the same browser", async () => {
    const { start, browser, adapter } = setUp()
    await start()
    const old = browser.get(name) ?? ""
    await start({ user: walt })
    expect(await adapter.getSessionAndUser(old)).toBeNull()
  })

  it("creates a session when the one in which the flow began has ended meanwhile", async () => {
    const { start, check } = setUp()
    await start({ isSignedInAlready: true })
    expect((await check()).session?.user?.name).toBe("Vera")
  })

  it("signs no one in while the store is down", async () => {
    const { start } = setUp({ adapter: { createSession: down } })
    expect((await failureOf(start())).error.type).toBe("AdapterError")
  })
})

describe("database sessions: check", () => {
  it.each([
    [-1, 0],
    [0, 1],
    [1, 1],
  ])("DBS-04: extends %i s from updateAge %i times", async (offset, times) => {
    using clock = fixedClock()
    const made = setUp()
    await made.start()
    const calls = callsSince(made)
    clock.advance({ seconds: day + offset })
    const { cookies } = await made.check()
    expect(calls()).toEqual(["getSessionAndUser", ...Array(times).fill("updateSession")])
    const lifetime = times === 0 ? 29 * day - offset : 30 * day
    expect(cookies[0]?.options.expires).toEqual(new Date(clock.now() + lifetime * 1000))
  })

  it("DBS-04: extends at each access with an updateAge of 0, and once a period otherwise", async () => {
    using clock = fixedClock()
    for (const [updateAge, times] of [
      [0, 6],
      [60, 1],
    ] as const) {
      const made = setUp({ updateAge })
      await made.start()
      const calls = callsSince(made)
      for (let n = 0; n < 6; n++) {
        clock.advance({ seconds: 12 })
        await made.check()
      }
      expect(calls().filter((method) => method === "updateSession")).toHaveLength(times)
    }
  })

  it("DBS-04: gives the store the token and the new expiry, which is never before the old one", async () => {
    using clock = fixedClock()
    const { start, check, adapter, browser } = setUp({ maxAge: 3600, updateAge: 600 })
    await start()
    let last = 0
    for (let n = 0; n < 30; n++) {
      clock.advance({ seconds: 97 * (n % 7) })
      await check()
      const expires = (await adapter.getSessionAndUser(browser.get(name) ?? ""))?.session.expires.valueOf() ?? 0
      expect(expires).toBeGreaterThanOrEqual(last)
      last = expires
    }
    const update = adapter.calls.find(({ method }) => method === "updateSession")
    expect(update?.args).toEqual([{ sessionToken: browser.get(name), expires: expect.any(Date) }])
  })

  it("DBS-05: gives the cookie the row's expiry, not a later one", async () => {
    using clock = fixedClock()
    const { start, check } = setUp()
    const [made] = await start()
    clock.advance({ hours: 23 })
    expect((await check()).cookies).toEqual([made])
  })

  it("DBS-03: deletes the row and clears the cookie of an expired session, also for two requests at once", async () => {
    using clock = fixedClock()
    const { start, sessions, browser, adapter, logger } = setUp({ maxAge: 3600 })
    await start()
    const token = browser.get(name) ?? ""
    clock.advance({ seconds: 3600 })
    const answers = await Promise.all([
      sessions.check({ cookies: browser.jar() }),
      sessions.check({ cookies: browser.jar() }),
    ])
    for (const answer of answers) expect(answer).toEqual({ session: null, cookies: [cleared] })
    expect(await adapter.getSessionAndUser(token)).toBeNull()
    expect(logger.errors).toEqual([])
  })

  it("calls the session callback with the row, its user and the client's data, then sends the event", async () => {
    const seen: unknown[] = []
    const { start, check, browser, events } = setUp({
      callbacks: {
        session: (params) => {
          seen.push(params)
          return params.session
        },
      },
    })
    const [cookie] = await start()
    await check()
    await check({ newSession: { theme: "dark" } })
    const row = { sessionToken: browser.get(name), userId: "vera", expires: cookie?.options.expires }
    expect(seen).toStrictEqual([
      { session: { ...row, user: vera }, user: vera },
      { session: { ...row, user: vera }, user: vera, newSession: { theme: "dark" }, trigger: "update" },
    ])
    expect(events.of("session")).toStrictEqual(seen.map(() => ({ session: { ...row, user: vera } })))
  })

  it("does not call the jwt callback", async () => {
    let calls = 0
    const { start, check } = setUp({
      callbacks: {
        jwt: ({ token }) => {
          calls++
          return token
        },
      },
    })
    await start()
    await check({ newSession: 1 })
    expect(calls).toBe(0)
  })

  it.each(["getSessionAndUser", "updateSession"] as const)(
    "DBS-08: returns null and keeps the cookie while %s fails",
    async (method) => {
      const { start, check, browser, logger, events } = setUp({ updateAge: 0, adapter: {} })
      await start()
      const broken = setUp({ updateAge: 0, adapter: { [method]: down } })
      if (method === "updateSession") await broken.start()
      else broken.browser.set(name, browser.get(name) ?? "")
      expect(await broken.check()).toEqual({ session: null, cookies: [], isUnknown: true })
      expect(broken.browser.names()).toEqual([name])
      expect(broken.logger.errorTypes()).toEqual(["AdapterError"])
      expect(broken.events.names()).toEqual([])
      expect((await check()).session).not.toBeNull()
      expect([logger.errors, events.names()]).toEqual([[], ["session"]])
    },
  )

  it("DBS-08: keeps the cookie when an expired row cannot be deleted", async () => {
    using clock = fixedClock()
    const { start, check } = setUp({ maxAge: 60, adapter: { deleteSession: down } })
    await start()
    clock.advance({ hours: 1 })
    expect(await check()).toEqual({ session: null, cookies: [], isUnknown: true })
  })

  it("keeps the cookie when the app's session callback fails", async () => {
    const { start, check, browser } = setUp({ callbacks: { session: () => Promise.reject(new Error("no")) } })
    await start()
    expect(await check()).toEqual({ session: null, cookies: [] })
    expect(browser.names()).toEqual([name])
  })

  it("DBS-06: does not ask the store for a token that is too long or holds a NUL byte", async () => {
    const { browser, check, end, findUser, adapter } = setUp()
    for (const value of ["x".repeat(1025), "a\0b", ""]) {
      browser.set(name, value)
      await findUser()
      await end()
      browser.set(name, value)
      await check()
    }
    expect(adapter.calls).toEqual([])
    browser.set(name, "x".repeat(1024))
    await findUser()
    expect(adapter.calls).toHaveLength(1)
  })

  it("DBS-07: deletes the row of a deleted user, if the adapter returns a row without a user", async () => {
    const removed: string[] = []
    const session = { sessionToken: "token-of-a-deleted-user", userId: "gone", expires: new Date(Date.now() + 60_000) }
    const { browser, check } = setUp({
      adapter: {
        getSessionAndUser: async () => ({ session, user: null as never }),
        deleteSession: async (token) => void removed.push(token),
      },
    })
    browser.set(name, session.sessionToken)
    expect(await check()).toEqual({ session: null, cookies: [cleared] })
    expect(removed).toEqual([session.sessionToken])
  })

  it("keeps a session whose date the adapter created in another realm", async () => {
    const { start, check, adapter } = setUp({
      adapter: {
        getSessionAndUser: async (token) => {
          const found = await adapter.getSessionAndUser(token)
          if (!found) return null
          const expires: Date = runInNewContext(`new Date(${found.session.expires.getTime()})`)
          return { ...found, session: { ...found.session, expires } }
        },
      },
    })
    await start()
    const { session } = await check()
    expect(session?.user?.name).toBe("Vera")
    expect(new Date(String(session?.expires)).getTime()).toBeGreaterThan(Date.now())
  })

  it("ADP-13: compares the token exactly, however the store compares", async () => {
    const { start, browser, adapter, sessions } = setUp({
      generateSessionToken: () => "Token-Of-Vera-0123456789",
      adapter: { getSessionAndUser: async () => adapter.getSessionAndUser("Token-Of-Vera-0123456789") },
    })
    await start()
    expect((await sessions.check({ cookies: browser.jar() })).session).not.toBeNull()
    for (const other of ["token-of-vera-0123456789", "Token-Of-Vera-0123456789 "]) {
      const jar = readCookies(`${name}=${encodeURIComponent(other)}`)
      expect((await sessions.check({ cookies: jar })).session).toBeNull()
      expect(await sessions.findUser(jar)).toBeNull()
    }
    expect(await adapter.getSessionAndUser("Token-Of-Vera-0123456789")).not.toBeNull()
  })

  it("ADP-12: passes copies to callbacks, so that their changes do not reach the store", async () => {
    const row = {
      session: { sessionToken: "token-of-vera-0123456789", userId: "vera", expires: new Date(Date.now() + 1e9) },
      user: { ...vera },
    }
    const { browser, check } = setUp({
      adapter: { getSessionAndUser: async () => row, updateSession: async () => null },
      callbacks: {
        session: ({ session, user }) => {
          Object.assign(session, { userId: "walt" })
          Object.assign(user, { name: "Walt" })
          return session
        },
      },
    })
    browser.set(name, row.session.sessionToken)
    await check()
    expect(row).toMatchObject({ session: { userId: "vera" }, user: { name: "Vera" } })
  })

  it("ADP-07: never recreates a row that was deleted meanwhile", async () => {
    const { start, sessions, browser, adapter } = setUp({ updateAge: 0 })
    await start()
    const token = browser.get(name) ?? ""
    const jar = browser.jar()
    await Promise.all([
      ...Array.from({ length: 20 }, () => sessions.check({ cookies: jar })),
      sessions.end({ cookies: jar }),
    ])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
    expect((await sessions.check({ cookies: jar })).session).toBeNull()
  })

  describe("ADP-11: with an adapter whose expiry is", () => {
    const future = Date.UTC(2031, 0, 1)
    const row = (expires: unknown) =>
      ({ sessionToken: "token-of-vera-0123456789", userId: "vera", expires }) as AdapterSession

    it.each([
      ["not a date"],
      [Number.NaN],
      [null],
      [undefined],
      [{}],
      [new Date(Number.NaN)],
      [""],
      [true],
      [["2031"]],
    ])("%j: treats the session as expired, and deletes it", async (expires) => {
      using _ = fixedClock()
      const removed: string[] = []
      const { browser, check } = setUp({
        adapter: {
          getSessionAndUser: async () => ({ session: row(expires), user: vera }),
          deleteSession: async (token) => void removed.push(token),
        },
      })
      browser.set(name, "token-of-vera-0123456789")
      expect((await check()).session).toBeNull()
      expect(removed).toEqual(["token-of-vera-0123456789"])
    })

    it.each([
      ["text", new Date(future).toISOString()],
      ["a number", future],
      ["a date", new Date(future)],
    ])("%s: reads it, and shows it as an ISO string", async (_, expires) => {
      using _clock = fixedClock()
      const { browser, check } = setUp({
        maxAge: 365 * day,
        adapter: { getSessionAndUser: async () => ({ session: row(expires), user: vera }) },
      })
      browser.set(name, "token-of-vera-0123456789")
      const { session, cookies } = await check()
      expect(session?.expires).toBe("2031-01-01T00:00:00.000Z")
      expect(cookies[0]?.options.expires).toEqual(new Date(future))
    })

    it("text, for a new session: the cookie expires at that time", async () => {
      using _ = fixedClock()
      const { start } = setUp({
        adapter: { createSession: async (given) => ({ ...given, expires: "2031-01-01" as never }) },
      })
      expect((await start())[0]?.options.expires).toEqual(new Date(future))
    })

    it("not a date, for a new session: the cookie expires as requested", async () => {
      using clock = fixedClock()
      const createSession = async (given: AdapterSession) => ({ ...given, expires: undefined as never })
      const [cookie] = await setUp({ maxAge: 3600, adapter: { createSession } }).start()
      expect(cookie?.options.expires).toEqual(new Date(clock.now() + 3_600_000))
    })
  })
})

describe("database sessions: end", () => {
  it("DBS-09: deletes the row, so that a copied cookie is useless", async () => {
    const { start, end, browser, sessions } = setUp()
    await start()
    const copied = browser.jar()
    const { message } = await end()
    expect(message).toEqual({ session: expect.objectContaining({ userId: "vera" }) })
    expect((await sessions.check({ cookies: copied })).session).toBeNull()
  })

  it("returns the session that the adapter returned, or null if it returned nothing", async () => {
    const { start, end } = setUp({ adapter: { deleteSession: async () => undefined } })
    await start()
    expect((await end()).message).toEqual({ session: null })
  })

  it("clears the cookie and logs an error when the row cannot be deleted", async () => {
    const { start, end, logger, browser } = setUp({ adapter: { deleteSession: down } })
    await start()
    expect(await end()).toEqual({ message: null, cookies: [cleared] })
    expect(browser.names()).toEqual([])
    expect(logger.errorTypes()).toEqual(["AdapterError", "SignOutError"])
  })

  it("also deletes the session behind a planted cookie", async () => {
    const { start, sessions, browser, adapter } = setUp()
    await start()
    await sessions.end({ cookies: readCookies(`${name}=planted; ${browser.header()}`) })
    expect(await adapter.getSessionAndUser(browser.get(name) ?? "")).toBeNull()
  })
})
