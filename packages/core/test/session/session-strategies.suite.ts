import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import type { AuthErrorType } from "../../src/errors/auth-error.js"
import { readCookies, serializeCookie } from "../../src/http/cookies.js"
import type { CallbacksOptions } from "../../src/types/callbacks.js"
import { type BuildSessions, type SessionHost, sessionCookie, sessionSetup, vera } from "../setup/session-setup.js"

const { name } = sessionCookie
const noCookies = readCookies(null)
const shown = { name: "Vera", email: "vera@corp.test", image: "https://corp.test/vera.png" }
const cleared = { ...sessionCookie, value: "", options: { ...sessionCookie.options, maxAge: 0 } }

const junk = ["x", "' OR 1=1--", "\0", "a\0b", '{"$ne":null}', "%00", "a.b.c.d.e", "é".repeat(50), "x".repeat(3900)]

/** The contract of every session strategy. */
export function testSessions(
  strategy: string,
  build: BuildSessions,
  { failure }: { readonly failure: AuthErrorType },
): void {
  const setUp = (host?: SessionHost) => sessionSetup(build, host)

  describe(`${strategy} sessions: without a valid session`, () => {
    it("COOK-19: returns null without a cookie, and sets no cookie, calls no adapter, sends no event and logs nothing", async () => {
      const { sessions, adapter, events, logger } = setUp()
      for (let n = 0; n < 100; n++)
        expect(await sessions.check({ cookies: noCookies })).toEqual({ session: null, cookies: [] })
      expect(await sessions.findUser(noCookies)).toBeNull()
      expect(await sessions.end({ cookies: noCookies })).toEqual({ message: null, cookies: [] })
      expect([adapter.calls, events.names(), logger.texts()]).toEqual([[], [], []])
    })

    it.each(junk)("DBS-06: returns null for %j, clears it and never throws", async (value) => {
      const { sessions, browser, check, end, findUser } = setUp()
      browser.set(name, value)
      expect(await findUser()).toBeNull()
      expect((await sessions.end({ cookies: browser.jar() })).cookies).toEqual([cleared])
      expect(await check()).toEqual({ session: null, cookies: [cleared] })
      expect(await end()).toEqual({ message: null, cookies: [] })
    })

    it("clears an empty cookie", async () => {
      const { browser, check } = setUp()
      browser.set(name, "")
      expect(await check()).toEqual({ session: null, cookies: [cleared] })
    })

    it("clears junk chunks, and leaves other cookies as they are", async () => {
      const { browser, check } = setUp()
      for (const other of [`${name}.0`, `${name}.1`, `${name}.x`, `${name}s`, "theirs"]) browser.set(other, "junk")
      expect((await check()).session).toBeNull()
      expect(browser.names()).toEqual([`${name}.x`, `${name}s`, "theirs"])
    })

    it("ends a session after its idle lifetime", async () => {
      using clock = fixedClock()
      const { start, check, findUser } = setUp({ maxAge: 3600 })
      await start()
      clock.advance({ seconds: 3600 - 1 })
      expect(await findUser()).not.toBeNull()
      clock.advance({ seconds: 20 })
      expect(await check()).toEqual({ session: null, cookies: [cleared] })
    })

    it("LINK-10: finds no user for an expired session", async () => {
      using clock = fixedClock()
      const { start, findUser } = setUp({ maxAge: 3600 })
      await start()
      clock.advance({ seconds: 3600 + 20 })
      expect(await findUser()).toBeNull()
    })

    it("DBS-07: finds no user who was deleted from the store", async () => {
      const { start, adapter, findUser } = setUp()
      await start()
      await adapter.deleteUser("vera")
      expect(await findUser()).toBeNull()
    })
  })

  describe(`${strategy} sessions: start`, () => {
    it("sets one cookie with the configured attributes, which expires with the session", async () => {
      using clock = fixedClock()
      const cookies = await setUp({ maxAge: 3600 }).start()
      const options = {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: true,
        expires: new Date(clock.now() + 3_600_000),
      }
      expect(cookies).toEqual([{ name, value: expect.any(String), options }])
    })

    it("COOK-16: limits the cookie to 400 days when sessions live longer", async () => {
      using clock = fixedClock()
      const [cookie = cleared] = await setUp({ maxAge: 10 * 365 * 24 * 60 * 60 }).start()
      const [, expires = ""] = /Expires=([^;]+)/.exec(serializeCookie(cookie)) ?? []
      expect(Date.parse(expires)).toBe(clock.now() + 400 * 24 * 60 * 60 * 1000)
    })

    it("DBS-11: signing in again replaces the former session in the browser", async () => {
      const { start, browser, check } = setUp()
      await start()
      const former = browser.get(name)
      await start()
      expect(browser.names()).toEqual([name])
      expect(browser.get(name)).not.toBe(former)
      expect((await check()).session?.user).toEqual(shown)
    })

    it("DBS-01: replaces a value that an attacker planted in the browser", async () => {
      const { start, browser, check } = setUp()
      browser.set(name, "fixed-by-the-attacker")
      const [cookie] = await start()
      expect(cookie?.value).not.toContain("fixed")
      expect((await check()).session?.user).toEqual(shown)
    })

    it("clears chunks of an earlier session", async () => {
      const { start, browser } = setUp()
      for (const n of [0, 1, 2]) browser.set(`${name}.${n}`, "old")
      await start()
      expect(browser.names()).toEqual([name])
    })

    it("replaces the session of the previous user", async () => {
      const { start, check, findUser } = setUp()
      await start()
      await start({ user: { ...vera, id: "walt", name: "Walt", email: "walt@corp.test" } })
      expect((await check()).session?.user?.name).toBe("Walt")
      expect((await findUser())?.id).toBe("walt")
    })

    it("CRED-08: starts sessions for users whom the app's authorize returns", async () => {
      const { start, check, adapter } = setUp()
      await adapter.createUser(vera)
      await start({ account: { provider: "credentials", providerAccountId: "vera", type: "credentials" } })
      expect((await check()).session?.user).toEqual(shown)
    })
  })

  describe(`${strategy} sessions: check`, () => {
    it("JWT-20: shows name, email, image and expiry, and nothing else", async () => {
      using clock = fixedClock()
      const { start, check } = setUp({ maxAge: 3600 })
      await start({ user: { ...vera, password: "hash", role: "admin" } as typeof vera })
      const expires = new Date(clock.now() + 3_600_000).toISOString()
      expect((await check()).session).toStrictEqual({ user: shown, expires })
    })

    it("sets the cookie again, and sends the session event with the client's session", async () => {
      const { start, check, events } = setUp()
      await start()
      const { session, cookies } = await check()
      expect(cookies).toHaveLength(1)
      expect(cookies[0]).toMatchObject({ name, options: { httpOnly: true, expires: expect.any(Date) } })
      expect(events.names()).toEqual(["session"])
      expect(events.of("session")[0]?.session).toBe(session)
    })

    it("extends a session that is in use", async () => {
      using clock = fixedClock()
      const { start, check } = setUp()
      await start()
      for (let n = 0; n < 12; n++) {
        clock.advance({ days: 29 })
        expect((await check()).session?.user).toEqual(shown)
      }
    })

    it("passes the client's data to the session callback only on an update", async () => {
      const seen: object[] = []
      const { start, check } = setUp({
        callbacks: {
          session: (params) => {
            seen.push({ newSession: params.newSession, trigger: params.trigger })
            return params.session
          },
        },
      })
      await start()
      await check()
      await check({ newSession: { theme: "dark" } })
      await check({ newSession: undefined })
      expect(seen).toEqual([
        { newSession: undefined, trigger: undefined },
        { newSession: { theme: "dark" }, trigger: "update" },
        { newSession: undefined, trigger: "update" },
      ])
    })

    it("returns the session that the session callback returns", async () => {
      const own = { user: { name: "V" }, expires: "never", theme: "dark" }
      const { start, check } = setUp({ callbacks: { session: async () => own } })
      await start()
      expect((await check()).session).toEqual(own)
    })

    it("JWT-19: ignores data that no callback uses", async () => {
      const { start, check, findUser } = setUp()
      await start()
      const hostile = { sub: "walt", id: "walt", email: "walt@corp.test", exp: 9_999_999_999, user: { name: "W" } }
      expect((await check({ newSession: hostile })).session?.user).toEqual(shown)
      expect((await check()).session?.user).toEqual(shown)
      expect((await findUser())?.id).toBe("vera")
    })

    it("warns once when the session callback returns nothing", async () => {
      const { start, check, logger } = setUp({ callbacks: { session: () => undefined as never } })
      await start()
      for (let n = 0; n < 2; n++) expect((await check()).session).toBeUndefined()
      expect(logger.warnings).toEqual(["session-callback-empty"])
    })

    it("returns null and logs an error when the session callback fails, and does not expose the error", async () => {
      const fails = () => {
        throw new Error("db password hunter2")
      }
      const { start, check, logger, events } = setUp({ callbacks: { session: fails } })
      await start()
      const answer = await check()
      expect(answer.session).toBeNull()
      expect(JSON.stringify(answer)).not.toContain("hunter2")
      expect(logger.errorTypes()).toEqual([failure])
      expect(events.names()).toEqual([])
    })

    it("returns the session when the handler of the session event fails", async () => {
      const { start, check, logger } = setUp({
        events: { session: () => Promise.reject(new Error("audit log is full")) },
      })
      await start()
      expect((await check()).session?.user).toEqual(shown)
      expect(logger.errorTypes()).toEqual(["EventError"])
    })

    it.each(["before", "behind"])("COOK-08: finds the session %s a planted cookie of the same name", async (where) => {
      const { sessions, start, browser } = setUp()
      await start()
      const own = browser.header()
      const jar = readCookies(where === "behind" ? `${name}=planted; ${own}` : `${own}; ${name}=planted`)
      expect((await sessions.check({ cookies: jar })).session?.user).toEqual(shown)
      expect((await sessions.findUser(jar))?.id).toBe("vera")
    })

    it("COOK-07: keeps a session beside a planted chunk, and clears the chunk", async () => {
      const { start, browser, check } = setUp()
      await start()
      browser.set(`${name}.0`, "planted")
      expect((await check()).session?.user).toEqual(shown)
      expect(browser.names()).toEqual([name])
    })

    it("keeps two browsers apart", async () => {
      const { sessions, start, browser } = setUp()
      await start()
      const first = browser.jar()
      await setUp().start({ user: { ...vera, id: "walt", name: "Walt" } })
      expect((await sessions.check({ cookies: first })).session?.user?.name).toBe("Vera")
    })
  })

  describe(`${strategy} sessions: findUser`, () => {
    it("finds the stored user without changing anything", async () => {
      const { start, findUser, adapter, events } = setUp({ updateAge: 0 })
      await start()
      const before = adapter.calls.length
      expect(await findUser()).toEqual(vera)
      const changing = adapter.calls.slice(before).filter(({ method }) => !method.startsWith("get"))
      expect([changing, events.names()]).toEqual([[], []])
    })

    it("throws when the store fails, instead of treating the user as signed out", async () => {
      const down = () => Promise.reject(new Error("down"))
      const { start, sessions, browser } = setUp()
      await start()
      expect(await sessions.findUser(browser.jar())).not.toBeNull()
      const host = { adapter: { getUser: down, getSessionAndUser: down } }
      // The other setup decrypts the same token; a store that is down fails for every token.
      await expect(setUp(host).sessions.findUser(browser.jar())).rejects.toMatchObject({ type: "AdapterError" })
    })
  })

  describe(`${strategy} sessions: end`, () => {
    it("clears the cookie, and returns the ended session", async () => {
      const { start, end, browser } = setUp()
      await start()
      const { message, cookies } = await end()
      expect(cookies).toEqual([cleared])
      expect(JSON.stringify(message)).toContain("vera")
      expect(browser.names()).toEqual([])
    })

    it("clears the cookie and every chunk, planted ones included", async () => {
      const { start, end, browser } = setUp()
      await start()
      for (const n of [0, 1, 19]) browser.set(`${name}.${n}`, "planted")
      await end()
      expect(browser.names()).toEqual([])
    })

    it("ends the session behind a planted cookie of the same name", async () => {
      const { sessions, start, browser } = setUp()
      await start()
      const { message } = await sessions.end({ cookies: readCookies(`${name}=planted; ${browser.header()}`) })
      expect(JSON.stringify(message)).toContain("vera")
    })

    it("does not call the session callback", async () => {
      let calls = 0
      const count: CallbacksOptions["session"] = ({ session }) => {
        calls++
        return session
      }
      const { start, end } = setUp({ callbacks: { session: count } })
      await start()
      await end()
      expect(calls).toBe(0)
    })
  })
}
