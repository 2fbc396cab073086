import type { AuthConfig } from "@latchkey/core"
import { accessTokens, getAccessToken } from "@latchkey/core/access-tokens"
import { decode, encode } from "@latchkey/core/jwt"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openKept } from "../setup/kept-setup.js"

const minuteSeconds = 60

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

/** A host whose process remembers the session of the browser: it has asked twice. */
async function openRemembered(own: Partial<AuthConfig> = {}) {
  const kept = openKept(own)
  const { host, ask } = kept
  await host.browser.signIn("oidc")
  const { accessToken } = await ask(host.browser)
  expect(await ask(host.browser)).toMatchObject({ accessToken })
  return { ...kept, accessToken }
}

describe("getAccessToken with a session cookie that was just used", () => {
  it("KEEP-04: finds no user once the session has expired", async () => {
    const { host, ask, fail } = await openRemembered({ session: { strategy: "jwt", maxAge: 10 * minuteSeconds } })
    clock.advance({ minutes: 9 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    const { name, value } = host.browser.cookies.list().find((each) => each.name.includes("session")) ?? expect.fail()
    clock.advance({ minutes: 2 })
    host.browser.cookies.set(name, value)
    expect(await fail(host.browser)).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: finds no user if any character of it is changed", async () => {
    const { host, fail } = await openRemembered()
    const { name, value } = host.browser.cookies.list().find((each) => each.name.includes("session")) ?? expect.fail()
    const positions = [0, 60, Math.floor(value.length / 2), value.length - 50, value.length - 20]
    for (const n of positions) {
      const changed = value[n] === "A" ? "B" : "A"
      host.browser.cookies.set(name, value.slice(0, n) + changed + value.slice(n + 1))
      expect(await fail(host.browser), `character ${n}`).toMatchObject({ reason: "signed-out" })
    }
    host.browser.cookies.set(name, value.slice(-43))
    expect(await fail(host.browser)).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: asks the jwt callback each time, which may end the session", async () => {
    let isOver = false
    const { host, fail } = await openRemembered({ callbacks: { jwt: ({ token }) => (isOver ? null : token) } })
    isOver = true
    expect(await fail(host.browser)).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: does not keep what the jwt callback wrote into the claims of another call", async () => {
    let sub: string | undefined
    const { host, ask, fail, accessToken } = await openRemembered({
      callbacks: {
        jwt({ token }) {
          if (sub !== undefined) token.sub = sub
          return token
        },
      },
    })
    sub = "ben"
    expect(await fail(host.browser)).toMatchObject({ reason: "no-account" })
    sub = undefined
    expect(await ask(host.browser)).toMatchObject({ accessToken })
  })

  it("KEEP-04: calls the app's own decode each time", async () => {
    let isRefused = false
    const jwt = { encode, decode: async (params: Parameters<typeof decode>[0]) => (isRefused ? null : decode(params)) }
    const { host, fail } = await openRemembered({ jwt })
    isRefused = true
    expect(await fail(host.browser)).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: does not pass its memory to the app's own decode", async () => {
    const given: unknown[][] = []
    const jwt = {
      encode,
      decode: async (...values: unknown[]) => {
        given.push(values)
        return decode(values[0] as Parameters<typeof decode>[0])
      },
    }
    await openRemembered({ jwt })
    expect(given.map((values) => [values.length, Object.keys(values[0] as object).sort()])).toEqual(
      given.map(() => [1, ["salt", "secret", "token"]]),
    )
  })

  it("KEEP-04: finds no user after the secret was replaced", async () => {
    const { host, fail, newProcess } = await openRemembered()
    const secret = "another secret of at least thirty-two characters"
    expect(await fail(host.browser, {}, newProcess({ secret }))).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: finds no user after the session was ended in the list", async () => {
    const { host, fail, row } = await openRemembered({
      session: { strategy: "jwt", track: trackSessions({ checkEvery: 0 }) },
    })
    await signOutEverywhere(host.config, (await row()).userId)
    expect(await fail(host.browser)).toMatchObject({ reason: "signed-out" })
  })

  it("KEEP-04: tells the sessions of two users apart", async () => {
    const { host, ask, accessToken } = await openRemembered()
    host.idp.signInAs({ sub: "ben", email: "ben@example.com", email_verified: true })
    const other = host.newBrowser()
    await other.signIn("oidc")
    const { accessToken: foreign } = await ask(other)
    expect(foreign).not.toBe(accessToken)
    for (let n = 0; n < 3; n++) {
      expect(await ask(other)).toMatchObject({ accessToken: foreign })
      expect(await ask(host.browser)).toMatchObject({ accessToken })
    }
  })

  it("reads a session that is split into several cookies", async () => {
    const { ask, host, accessToken } = await openRemembered({
      callbacks: { jwt: ({ token }) => ({ ...token, large: "x".repeat(6000) }) },
    })
    expect(await ask(host.browser)).toMatchObject({ accessToken })
  })

  it("takes the same URL in capital letters for the same scheme, and refuses one without a scheme", async () => {
    const { host, accessToken } = await openRemembered()
    const cookie = host.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = new Headers({ cookie: cookie.join("; ") })
    const ask = (url: string) => getAccessToken({ url, headers } as Request, host.config, { provider: "oidc" })
    expect(await ask("HTTPS://APP.TEST/")).toMatchObject({ accessToken })
    await expect(ask("/page")).rejects.toThrow("Invalid URL")
  })
})

describe("the reads of getAccessToken with a good token", () => {
  it.each(["account", "cookie"] as const)("are at most one with keep: %s", async (keep) => {
    const adapter = memoryAdapter()
    const calls: string[] = []
    const counted = new Proxy(adapter, {
      get(target, name: keyof typeof adapter) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== "function") return method
        return (...values: unknown[]) => {
          calls.push(name)
          return Reflect.apply(method, target, values)
        }
      },
    })
    const { host, ask } = openKept({ adapter: counted, accessTokens: accessTokens({ keep }) } as object)
    await host.browser.signIn("oidc")
    calls.length = 0
    for (let n = 0; n < 3; n++) await ask(host.browser)
    expect(calls).toEqual(keep === "cookie" ? [] : Array(3).fill("listAccountsByUserId"))
  })
})
