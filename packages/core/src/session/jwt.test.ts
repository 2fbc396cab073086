import { fixedClock } from "@latchkey/testkit"
import type { User } from "@latchkey/types"
import { describe, expect, it } from "vitest"
import { testSessions } from "../../test/session/session-strategies.suite.js"
import { failureOf } from "../../test/setup/failure-of.js"
import {
  type SessionHost,
  sessionSecret as secret,
  sessionCookie,
  sessionSetup,
  signedIn,
  statelessSessions,
  vera,
} from "../../test/setup/session-setup.js"
import { decode, encode } from "../crypto/jwt.js"
import type { JwtParams } from "../types/callbacks.js"
import type { JWTDecodeParams, JWTEncodeParams } from "../types/jwt.js"
import type { JwtSessionOptions } from "./jwt.js"

const oldSecret = "the secret that was used before this one"
const { name } = sessionCookie
const cleared = { ...sessionCookie, value: "", options: { ...sessionCookie.options, maxAge: 0 } }

const setUp = (host?: SessionHost, changes?: Partial<JwtSessionOptions>) =>
  sessionSetup(statelessSessions(changes), host)
const claimsOf = (token = "") => decode({ token, secret, salt: name })

/** A jwt callback that records its parameters. */
function recordingJwt() {
  const seen: JwtParams[] = []
  const jwt = (params: JwtParams) => {
    seen.push({ ...params, token: { ...params.token } })
    return params.token
  }
  return { seen, jwt }
}

testSessions("jwt", statelessSessions(), { failure: "JWTSessionError" })

describe("jwt sessions: the app's encode and decode", () => {
  it("receive the claims, the secrets, the cookie's name and the lifetime", async () => {
    const seen: (JWTEncodeParams | JWTDecodeParams)[] = []
    const setup = setUp(undefined, {
      maxAge: 60,
      encode: (params) => {
        seen.push(params)
        return "sealed"
      },
      decode: (params) => {
        seen.push(params)
        return { sub: "vera" }
      },
    })
    const [cookie] = await setup.start({ user: { id: "vera" } })
    expect(cookie?.value).toBe("sealed")
    await setup.end()
    expect(seen).toStrictEqual([
      { token: { sub: "vera" }, secret: [secret], salt: name, maxAge: 60 },
      { token: "sealed", secret: [secret], salt: name },
    ])
  })

  it.each([[secret], [[secret]], [[secret, "an older secret"]]])(
    "receive the secret as configured: %j",
    async (given) => {
      const seen: unknown[] = []
      const setup = setUp(undefined, {
        secret: given,
        encode: async (params) => {
          seen.push(params.secret)
          return encode({ ...params, secret })
        },
        decode: async (params) => {
          seen.push(params.secret)
          return decode({ ...params, secret })
        },
      })
      await setup.start()
      await setup.end()
      expect(seen).toStrictEqual([given, given])
    },
  )
})

describe("jwt sessions: start", () => {
  const token = { name: "Vera", email: "vera@corp.test", picture: "https://corp.test/vera.png", sub: "vera" }

  it.each([
    ["signIn", { isNewUser: false }],
    ["signUp", { isNewUser: true }],
  ])("calls the jwt callback with trigger %s", async (trigger, changes) => {
    const { seen, jwt } = recordingJwt()
    await setUp({ callbacks: { jwt } }).start(changes)
    const { user, account, profile } = signedIn()
    expect(seen).toStrictEqual([{ token, user, account, profile, trigger, ...changes }])
  })

  it("omits the profile and `isNewUser` when they are unknown", async () => {
    const { seen, jwt } = recordingJwt()
    const { profile: _, ...person } = signedIn({ isNewUser: undefined })
    const { sessions, browser } = setUp({ callbacks: { jwt } })
    await sessions.start(person, { cookies: browser.jar() })
    expect(seen).toStrictEqual([{ token, user: person.user, account: person.account, trigger: "signIn" }])
  })

  it("builds the claims from the user only", async () => {
    const { seen, jwt } = recordingJwt()
    const { start } = setUp({ callbacks: { jwt } })
    // Plain JavaScript may pass a number.
    await start({ user: { id: 7 as unknown as string, name: null } })
    await start({ user: { id: "walt", email: "walt@corp.test", role: "admin" } as User })
    expect(seen.map((params) => params.token)).toStrictEqual([
      { sub: "7", name: null },
      { sub: "walt", email: "walt@corp.test" },
    ])
    const { sessions, browser } = setUp({ callbacks: { jwt } })
    await sessions.start(signedIn({ user: { name: "Nobody" } }), { cookies: browser.jar() })
    expect(seen.at(-1)?.token).toStrictEqual({ name: "Nobody" })
  })

  it("keeps the claims that the jwt callback returns", async () => {
    const { start, check } = setUp({
      callbacks: { jwt: ({ token, account }) => (account ? { ...token, role: "admin" } : token) },
    })
    const [cookie] = await start()
    expect(await claimsOf(cookie?.value)).toMatchObject({ sub: "vera", role: "admin" })
    expect((await check()).session).not.toHaveProperty("role")
  })

  it("JWT-17: clears the cookies when the jwt callback returns null", async () => {
    const { start, browser } = setUp({ callbacks: { jwt: () => null } })
    browser.set(name, "old")
    browser.set(`${name}.0`, "old")
    expect(await start()).toEqual([cleared, { ...cleared, name: `${name}.0` }])
  })

  it("throws what the jwt callback throws, and signs no one in", async () => {
    const { start } = setUp({ callbacks: { jwt: () => Promise.reject(new Error("no")) } })
    expect((await failureOf(start())).error.message).toBe("no")
  })

  it("rejects a token that does not fit into cookies", async () => {
    const { start } = setUp({ callbacks: { jwt: ({ token }) => ({ ...token, big: "x".repeat(60_000) }) } })
    expect((await failureOf(start())).error.type).toBe("JWTSessionError")
  })
})

describe("jwt sessions: check", () => {
  it("calls jwt with the claims, then session with the result, then sends the event", async () => {
    using clock = fixedClock()
    const steps: unknown[] = []
    const { start, check } = setUp({
      maxAge: 3600,
      callbacks: {
        jwt: (params) => {
          steps.push(["jwt", params])
          return params.trigger === "update" ? { ...params.token, theme: "dark" } : params.token
        },
        session: (params) => {
          steps.push(["session", params])
          return { ...params.session, seen: true } as typeof params.session
        },
      },
      events: { session: async (message) => void steps.push(["event", message]) },
    })
    await start()
    steps.splice(0)
    const data = { theme: "dark" }
    await check({ newSession: data })
    const claims = { sub: "vera", name: "Vera", email: "vera@corp.test", picture: "https://corp.test/vera.png" }
    const token = { ...claims, iat: expect.any(Number), exp: expect.any(Number), jti: expect.any(String) }
    const expires = new Date(clock.now() + 3_600_000).toISOString()
    const session = { user: { name: "Vera", email: "vera@corp.test", image: "https://corp.test/vera.png" }, expires }
    const updated = { ...token, theme: "dark" }
    expect(steps).toStrictEqual([
      ["jwt", { token, session: data, trigger: "update" }],
      ["session", { session, token: updated, newSession: data, trigger: "update" }],
      ["event", { session: { ...session, seen: true }, token: updated }],
    ])
    steps.splice(0)
    await check()
    expect(steps[0]).toStrictEqual(["jwt", { token: updated }])
    expect(steps[1]).toStrictEqual(["session", { session, token: updated }])
  })

  it("JWT-17: ends the session when jwt returns null: no other callback, no event, all chunks cleared", async () => {
    let calls = 0
    const { start, check, browser, events, logger } = setUp({
      callbacks: {
        jwt: ({ token, trigger }) => (trigger ? { ...token, big: "x".repeat(7000) } : null),
        session: ({ session }) => {
          calls++
          return session
        },
      },
    })
    await start()
    expect(browser.names()).toEqual([0, 1, 2].map((n) => `${name}.${n}`))
    expect((await check()).session).toBeNull()
    expect(browser.names()).toEqual([])
    expect([calls, events.names(), logger.errors]).toEqual([0, [], []])
  })

  it("JWT-18: ends the session when jwt throws, logs it once, and does not expose the error", async () => {
    const { start, check, logger, browser } = setUp({
      callbacks: { jwt: ({ token, trigger }) => (trigger ? token : Promise.reject(new Error("db password hunter2"))) },
    })
    await start()
    const answer = await check()
    expect(answer).toEqual({ session: null, cookies: [cleared] })
    expect(logger.errors).toMatchObject([
      { type: "JWTSessionError", cause: { err: { message: "db password hunter2" } } },
    ])
    expect(browser.names()).toEqual([])
  })

  it("JWT-12: accepts a token of an old secret, and reissues it with the newest", async () => {
    const old = setUp(undefined, { secrets: [oldSecret] })
    await old.start()
    const refusing = setUp()
    refusing.browser.set(name, old.browser.get(name) ?? "")
    expect((await refusing.check()).session).toBeNull()
    const rotating = setUp(undefined, { secrets: [secret, oldSecret] })
    rotating.browser.set(name, old.browser.get(name) ?? "")
    const { session, cookies } = await rotating.check()
    expect(session?.user?.name).toBe("Vera")
    expect(await claimsOf(cookies[0]?.value)).toHaveProperty("sub", "vera")
  })

  it("JWT-19: keeps sub, email and expiry when a client sends other ones", async () => {
    using clock = fixedClock()
    const { start, check } = setUp({ maxAge: 3600 })
    await start()
    const { cookies } = await check({ newSession: { sub: "walt", email: "walt@corp.test", exp: 9_999_999_999 } })
    const exp = clock.now() / 1000 + 3600
    expect(await claimsOf(cookies[0]?.value)).toMatchObject({ sub: "vera", email: "vera@corp.test", exp })
  })

  it("issues a new token at each check", async () => {
    using clock = fixedClock()
    const { start, check } = setUp()
    const tokens = [(await start())[0]?.value]
    for (let n = 0; n < 3; n++) {
      clock.advance({ minutes: 1 })
      tokens.push((await check()).cookies[0]?.value)
    }
    const claims = await Promise.all(tokens.map(claimsOf))
    expect(new Set(claims.map((each) => each?.jti)).size).toBe(4)
    expect(new Set(claims.map((each) => Number(each?.exp) - Number(each?.iat)))).toEqual(new Set([30 * 24 * 3600]))
  })

  it("clears the chunks that a token no longer needs", async () => {
    const { start, check, browser } = setUp({
      callbacks: { jwt: ({ token, trigger }) => ({ ...token, big: "x".repeat(trigger === "update" ? 1 : 7000) }) },
    })
    await start()
    expect(browser.names()).toHaveLength(3)
    expect((await check({ newSession: 1 })).session?.user?.name).toBe("Vera")
    expect(browser.names()).toEqual([name])
  })

  it("JWT-11: rejects a token from a cookie of another name", async () => {
    const { browser, check, logger } = setUp()
    browser.set(name, await encode({ token: { sub: "vera" }, secret, salt: "authjs.session-token" }))
    expect((await check()).session).toBeNull()
    expect(logger.errorTypes()).toEqual(["JWTSessionError"])
  })

  it("passes only fields of the claims to the session callback", async () => {
    using clock = fixedClock()
    const seen: unknown[] = []
    const { browser, check } = setUp({
      maxAge: 3600,
      callbacks: {
        session: ({ session }) => {
          seen.push(session)
          return session
        },
      },
    })
    browser.set(name, await encode({ token: { sub: "vera", email: null }, secret, salt: name }))
    await check()
    expect(seen).toStrictEqual([{ user: { email: null }, expires: new Date(clock.now() + 3_600_000).toISOString() }])
  })

  it("does not call the store", async () => {
    const { start, check, adapter } = setUp()
    await start()
    const before = adapter.calls.length
    await check()
    expect(adapter.calls).toHaveLength(before)
  })
})

describe("jwt sessions: findUser", () => {
  it("returns null without a store, and for a token without a user id", async () => {
    const withoutStore = setUp(undefined, { getUser: undefined })
    await withoutStore.start()
    expect(await withoutStore.findUser()).toBeNull()
    const { browser, findUser, adapter } = setUp()
    browser.set(name, await encode({ token: { name: "nobody" }, secret, salt: name }))
    expect(await findUser()).toBeNull()
    expect(adapter.calls).toEqual([])
  })

  it("returns null when the adapter returns undefined", async () => {
    const { start, findUser } = setUp({ adapter: { getUser: async () => undefined as never } })
    await start()
    expect(await findUser()).toBeNull()
  })
})

describe("jwt sessions: findUser and the jwt callback", () => {
  it("JWT-24: returns null for a session that the callback ends", async () => {
    const { start, findUser } = setUp({ callbacks: { jwt: ({ token, user }) => (user ? token : null) } })
    await start()
    expect(await findUser()).toBeNull()
  })

  it("returns the user that the callback names", async () => {
    const { start, findUser, adapter } = setUp({
      callbacks: { jwt: ({ token, user }) => (user ? token : { ...token, sub: "walt" }) },
    })
    await adapter.createUser({ ...vera, id: "walt", email: "walt@corp.test" })
    await start()
    expect((await findUser())?.id).toBe("walt")
  })

  it("throws what the callback throws, instead of treating the user as signed out", async () => {
    const down = new Error("the revocation list is down")
    const { start, findUser } = setUp({
      callbacks: { jwt: ({ token, user }) => (user ? token : Promise.reject(down)) },
    })
    await start()
    await expect(findUser()).rejects.toBe(down)
  })
})

describe("jwt sessions: end", () => {
  it("returns the claims of the ended session", async () => {
    const { start, end } = setUp()
    await start()
    expect((await end()).message).toEqual({
      token: expect.objectContaining({ sub: "vera", name: "Vera", jti: expect.any(String) }),
    })
  })

  it("clears an invalid token, logs it, and returns no message", async () => {
    using clock = fixedClock()
    const { start, end, logger } = setUp({ maxAge: 60 })
    await start()
    clock.advance({ hours: 1 })
    expect(await end()).toEqual({ message: null, cookies: [cleared] })
    expect(logger.errorTypes()).toEqual(["SignOutError"])
  })
})
