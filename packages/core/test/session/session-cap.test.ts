import { getToken } from "@latchkey/core/jwt"
import type { AuthConfig } from "@latchkey/core/types"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { strategies } from "../setup/oauth-stage.js"
import { ask, get } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

const daySeconds = 24 * 60 * 60
const cap = 90 * daySeconds

function open(strategy: (typeof strategies)[number], more: Partial<Omit<AuthConfig, "providers" | "raw">> = {}) {
  const adapter = memoryAdapter()
  const { session, ...others } = more
  return { adapter, host: openHost({ adapter, ...others, session: { strategy, absoluteMaxAge: cap, ...session } }) }
}

describe.each(strategies)("session.absoluteMaxAge with %s sessions", (strategy) => {
  it("JWT-23: ends a session that is used every day, and the user can sign in again", async () => {
    using clock = fixedClock()
    const { host } = open(strategy)
    const { browser, logger } = host
    await browser.signIn("oidc")
    for (let day = 1; day < 90; day++) {
      clock.advance({ days: 1 })
      expect((await browser.session())?.user?.name, `day ${day}`).toBe("Ada Lovelace")
    }
    clock.advance({ days: 1 })
    const answer = await get(browser, "/auth/session")
    expect([answer.text, answer.cookies.get(sessionCookie)?.value ?? ""]).toEqual(["null", ""])
    expect([browser.cookies.get(sessionCookie), logger.errors]).toEqual([undefined, []])
    await browser.signIn("oidc")
    clock.advance({ days: 20 })
    expect(await browser.session()).not.toBeNull()
  })

  it("JWT-23: ends the session on the server, also for a kept cookie", async () => {
    using clock = fixedClock()
    const { host, adapter } = open(strategy)
    const { browser } = host
    await browser.signIn("oidc")
    for (let day = 1; day < 90; day++) {
      clock.advance({ days: 1 })
      await browser.session()
    }
    const kept = browser.cookies.get(sessionCookie) ?? ""
    clock.advance({ days: 1 })
    browser.cookies.set(sessionCookie, kept, { expiresAt: null })
    expect(await browser.session()).toBeNull()
    expect(await adapter.getSessionAndUser(kept)).toBeNull()
  })

  it("JWT-23: the cookie and the client's session expire with it", async () => {
    using clock = fixedClock()
    const { host } = open(strategy, { session: { absoluteMaxAge: 40 * daySeconds } })
    await host.browser.signIn("oidc")
    const end = clock.now() + 40 * daySeconds * 1000
    clock.advance({ days: 25 })
    const answer = await get(host.browser, "/auth/session")
    expect(Date.parse(Object(answer.json()).expires)).toBe(end)
    expect(answer.cookies.get(sessionCookie)?.attributes).toContain(`Expires=${new Date(end).toUTCString()}`)
  })

  it("JWT-23: does not extend the idle lifetime when it is longer", async () => {
    using clock = fixedClock()
    const { host } = open(strategy)
    await host.browser.signIn("oidc")
    clock.advance({ days: 31 })
    expect(await host.browser.session()).toBeNull()
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "90"])("CONF-07: is rejected when it is %j", async (value) => {
    const absoluteMaxAge = value as number // as: possible in plain JavaScript.
    const { host } = open(strategy, { session: { absoluteMaxAge } })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("session.absoluteMaxAge") }])
  })
})

describe("a jwt session with absoluteMaxAge", () => {
  it("JWT-23: keeps its start as auth_time, even if the jwt callback changes the claims", async () => {
    using clock = fixedClock()
    const seen: unknown[] = []
    const { host } = open("jwt", {
      callbacks: {
        jwt: ({ token }) => ({ sub: String(token.sub), name: String(token.name), auth_time: 9_999_999_999 }),
        session: ({ session, token }) => {
          seen.push(token["auth_time"])
          return session
        },
      },
    })
    await host.browser.signIn("oidc")
    const start = Math.floor(clock.now() / 1000)
    for (let request = 0; request < 4; request++) {
      clock.advance({ days: 29 })
      await host.browser.session()
    }
    expect(seen).toEqual([start, start, start])
    expect(await host.browser.session()).toBeNull()
  })

  it("JWT-23: its token itself expires with it", async () => {
    using clock = fixedClock()
    const { host } = open("jwt", { session: { absoluteMaxAge: 3600 } })
    await host.browser.signIn("oidc")
    const secret = host.config.secret ?? ""
    const headers = { cookie: `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}` }
    const read = () => getToken({ req: { headers }, secret, secureCookie: true })
    const start = Math.floor(clock.now() / 1000)
    expect(await read()).toMatchObject({ auth_time: start, exp: start + 3600 })
    clock.advance({ seconds: 3700 })
    expect(await read()).toBeNull()
  })

  it("JWT-23: counts from the first request if it began before the option was set", async () => {
    using clock = fixedClock()
    const before = openHost({ session: { strategy: "jwt" } })
    await before.browser.signIn("oidc")
    const after = openHost({ ...before.config, idp: before.idp, session: { strategy: "jwt", absoluteMaxAge: 3600 } })
    after.browser.cookies.set(sessionCookie, before.browser.cookies.get(sessionCookie) ?? "")
    expect(await after.browser.session()).not.toBeNull()
    clock.advance({ minutes: 59 })
    expect(await after.browser.session()).not.toBeNull()
    clock.advance({ minutes: 2 })
    expect(await after.browser.session()).toBeNull()
  })

  it("JWT-23: has no auth_time claim without the option", async () => {
    const host = openHost({ session: { strategy: "jwt" } })
    await host.browser.signIn("oidc")
    const headers = { cookie: `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}` }
    const claims = await getToken({ req: { headers }, secret: host.config.secret ?? "", secureCookie: true })
    expect(claims).not.toHaveProperty("auth_time")
  })
})

describe("a database session with absoluteMaxAge", () => {
  const tokenOf = (host: ReturnType<typeof open>["host"]) => host.browser.cookies.get(sessionCookie) ?? ""

  it("JWT-23: has its start in its token, which cannot be altered", async () => {
    using clock = fixedClock()
    const { host } = open("database")
    await host.browser.signIn("oidc")
    const start = Math.floor(clock.now() / 1000)
    const token = tokenOf(host)
    expect(token).toMatch(/^[0-9a-f]{64}~[0-9a-z]+$/)
    expect(Number.parseInt(token.split("~")[1] ?? "", 36)).toBe(start)
    const forged = token.replace(/~.*/, `~${(start + daySeconds).toString(36)}`)
    for (const value of [forged, token.split("~")[0] ?? ""]) {
      host.browser.cookies.set(sessionCookie, value)
      expect(await host.browser.session()).toBeNull()
    }
  })

  it("JWT-23: is not written any more when it cannot be extended", async () => {
    using clock = fixedClock()
    const { host, adapter } = open("database", { session: { absoluteMaxAge: 40 * daySeconds } })
    await host.browser.signIn("oidc")
    clock.advance({ days: 20 })
    await host.browser.session()
    const writes = () => adapter.calls.filter(({ method }) => method === "updateSession").length
    const before = writes()
    for (let request = 0; request < 5; request++) {
      clock.advance({ days: 3 })
      expect(await host.browser.session()).not.toBeNull()
    }
    expect([before, writes()]).toEqual([1, 1])
  })

  it("JWT-23: is not extended if it began before the option was set", async () => {
    using clock = fixedClock()
    const { host: before, adapter } = open("database", { session: { absoluteMaxAge: undefined } as object })
    await before.browser.signIn("oidc")
    const after = openHost({ ...before.config, idp: before.idp, session: { absoluteMaxAge: cap } })
    after.browser.cookies.set(sessionCookie, tokenOf(before), { expiresAt: null })
    for (let request = 0; request < 2; request++) {
      clock.advance({ days: 14 })
      expect(await after.browser.session()).not.toBeNull()
    }
    clock.advance({ days: 3 })
    expect(await after.browser.session()).toBeNull()
    expect(adapter.calls.map(({ method }) => method)).not.toContain("updateSession")
  })

  it("JWT-23: has a plain token without the option", async () => {
    const host = openHost({ adapter: memoryAdapter() })
    await host.browser.signIn("oidc")
    expect(tokenOf(host)).toMatch(/^[0-9a-f]{64}$/)
  })
})
