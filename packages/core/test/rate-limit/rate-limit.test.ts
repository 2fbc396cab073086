import { Auth, raw } from "@latchkey/core"
import { TooManyRequests } from "@latchkey/core/errors"
import type { AuthContext } from "@latchkey/core/types"
import { type Browser, fixedClock, type TestHostOptions } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  type ActionBudget,
  at,
  isTooMany,
  only,
  openLimited,
  repeat,
  requests,
  strategies,
  tryPassword,
} from "../setup/rate-limit-setup.js"
import { get, post, readAnswer, requestTo } from "../setup/requests.js"
import { passwordProvider, pathOfPage } from "../setup/sign-ins.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const actions = Object.keys(requests) as ActionBudget[] // The keys of a literal record.
const address = "198.51.100.7"

describe("the budgets of a network", () => {
  it.each(strategies)(
    "RATE-01: limit each costly action by default in production (%s sessions)",
    async (_, options) => {
      using _clock = fixedClock()
      vi.stubEnv("NODE_ENV", "production")
      const host = openLimited(undefined, options())
      for (const action of actions) {
        const browser = at(host, address)
        const limit = action === "sessionUpdate" ? 120 : 60
        const counted = await repeat(limit + 40, () => requests[action](browser))
        expect(counted, action).toEqual({ passed: limit, refused: 40 })
      }
    },
  )

  it("RATE-01: are off outside production, and if the app turns them off", async () => {
    const off = openLimited(undefined)
    expect(await repeat(80, () => requests.signOut(at(off, address)))).toEqual({ passed: 80, refused: 0 })
    vi.stubEnv("NODE_ENV", "production")
    const refused = openLimited(false)
    expect(await repeat(80, () => requests.signOut(at(refused, address)))).toEqual({ passed: 80, refused: 0 })
  })

  it.each(actions)("RATE-01: limit %s as configured, until the window ends", async (action) => {
    using clock = fixedClock()
    const host = openLimited(only(action, 3, 60))
    const browser = at(host, address)
    expect(await repeat(5, () => requests[action](browser))).toEqual({ passed: 3, refused: 2 })
    clock.advance({ seconds: 60 })
    expect(await repeat(4, () => requests[action](browser))).toEqual({ passed: 3, refused: 1 })
  })

  it("URL-21: are shared by all paths of one action", async () => {
    const host = openLimited(only("signOut", 3))
    const browser = at(host, address)
    const paths = ["/auth/signout", "/auth//signout", "/auth/signout/", "/auth/signout?x=1", "/auth/./signout"]
    for (const [index, path] of paths.entries()) expect(isTooMany(await post(browser, path)), path).toBe(index >= 3)
  })

  it("RATE-01: are shared by providers and visitors of one network", async () => {
    const host = openLimited(only("signIn", 2))
    expect(isTooMany(await post(at(host, address), "/auth/signin/oidc"))).toBe(false)
    expect(isTooMany(await post(at(host, address), "/auth/signin/email", { email: "v@corp.test" }))).toBe(false)
    expect(isTooMany(await post(at(host, address), "/auth/signin/oidc"))).toBe(true)
    expect(isTooMany(await post(at(host, "198.51.100.8"), "/auth/signin/oidc"))).toBe(false)
  })

  it("never limit reading the session, a page, the providers or a CSRF token", async () => {
    const budgets = { ...only("signIn", 1).budgets, callback: { limit: 1, windowSeconds: 60 } }
    const host = openLimited({ budgets })
    const browser = at(host, address)
    for (let n = 0; n < 3; n++) await requests.signIn(browser)
    const paths = ["session", "providers", "csrf", "signin", "signout", "error", "verify-request", "style.css"]
    for (const path of paths) {
      const { passed } = await repeat(20, () => get(browser, `/auth/${path}`))
      expect([path, passed]).toEqual([path, 20])
    }
  })

  it("are not used up by forms of another site", async () => {
    const host = openLimited(only("signOut", 1))
    const browser = at(host, address)
    for (let n = 0; n < 5; n++) {
      const forged = await post(browser, "/auth/signout", {}, { headers: { origin: "https://evil.test" } })
      expect(isTooMany(forged)).toBe(false)
    }
    expect(isTooMany(await post(browser, "/auth/signout"))).toBe(false)
  })

  it("RATE-07: accept exactly the configured number of a hundred at once", async () => {
    const host = openLimited(only("signIn", 3))
    const browser = at(host, address)
    await browser.csrfToken()
    const answers = await Promise.all(Array.from({ length: 100 }, () => requests.signIn(browser)))
    expect(answers.filter(isTooMany)).toHaveLength(97)
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(3)
  })

  it("hold for a configuration that is rebuilt for each request", async () => {
    const secret = "a secret that all of these configurations share"
    const passed = []
    for (let n = 0; n < 5; n++) {
      const host = openLimited(only("signOut", 3), { secret })
      passed.push(!isTooMany(await requests.signOut(at(host, address))))
    }
    expect(passed).toEqual([true, true, true, false, false])
  })
})

describe("the client's address", () => {
  it("RATE-02: is the socket's, in spite of forged headers", async () => {
    const host = openLimited(only("signIn", 3))
    const browser = at(host, address)
    let index = 0
    const forge = () => {
      index += 1
      const forged = `6.6.6.${index}`
      const headers = {
        "x-forwarded-for": forged,
        forwarded: `for=${forged}`,
        "x-real-ip": forged,
        "cf-connecting-ip": forged,
      }
      return post(browser, "/auth/signin/oidc", {}, { headers })
    }
    expect(await repeat(10, forge)).toEqual({ passed: 3, refused: 7 })
  })

  it("RATE-03: is the rightmost that is not a trusted proxy", async () => {
    const host = openLimited(only("signIn", 3), { trustedProxies: ["10.0.0.1"] })
    const browser = at(host, "10.0.0.1")
    let index = 0
    const through = (client: string) => () => {
      index += 1
      const headers = { "x-forwarded-for": `6.6.6.${index}, ${client}, 10.0.0.1` }
      return post(browser, "/auth/signin/oidc", {}, { headers })
    }
    expect(await repeat(5, through("1.2.3.4"))).toEqual({ passed: 3, refused: 2 })
    expect(await repeat(5, through("1.2.3.5"))).toEqual({ passed: 3, refused: 2 })
    const direct = at(host, "1.2.3.6")
    const forge = () => post(direct, "/auth/signin/oidc", {}, { headers: { "x-forwarded-for": `6.6.6.${++index}` } })
    expect(await repeat(5, forge)).toEqual({ passed: 3, refused: 2 })
  })

  it("RATE-04: counts an IPv6 /64 as one network, and a mapped address as IPv4", async () => {
    const host = openLimited(only("signOut", 3))
    let index = 0
    const rotate = () => requests.signOut(at(host, `2001:db8:0:1::${(++index).toString(16)}`))
    expect(await repeat(10, rotate)).toEqual({ passed: 3, refused: 7 })
    expect(isTooMany(await requests.signOut(at(host, "2001:db8:0:2::1")))).toBe(false)
    expect(await repeat(3, () => requests.signOut(at(host, "192.0.2.1")))).toEqual({ passed: 3, refused: 0 })
    expect(isTooMany(await requests.signOut(at(host, "::ffff:192.0.2.1")))).toBe(true)
    expect(isTooMany(await requests.signOut(at(host, "::ffff:192.0.2.2")))).toBe(false)
  })

  it.each(actions)(
    "RATE-08: an unknown address has no budget of %s that one client could use up for all",
    async (action) => {
      const host = openLimited(only(action, 3))
      expect(await repeat(40, () => requests[action](host.newBrowser()))).toEqual({ passed: 40, refused: 0 })
      expect(host.logger.warnings).toEqual(["client-address-unknown"])
      expect(await repeat(5, () => requests[action](at(host, address)))).toEqual({ passed: 3, refused: 2 })
    },
  )

  it("RATE-08: is not that of an untrusted proxy, with one log entry", async () => {
    const host = openLimited(only("signOut", 3))
    const headers = { "x-forwarded-for": "203.0.113.9" }
    const forwarded = () => post(at(host, "127.0.0.1"), "/auth/signout", {}, { headers })
    expect(await repeat(40, forwarded)).toEqual({ passed: 40, refused: 0 })
    expect(host.logger.warnings).toEqual(["proxy-not-trusted"])
  })

  it("is the one that the app's clientAddress returns", async () => {
    const host = openLimited(only("signOut", 3), {
      clientAddress: ({ headers }) => headers.get("x-platform") ?? undefined,
    })
    const from = (value: string) => () =>
      post(host.newBrowser(), "/auth/signout", {}, { headers: { "x-platform": value } })
    expect(await repeat(4, from("192.0.2.1"))).toEqual({ passed: 3, refused: 1 })
    expect(await repeat(4, from(" 192.0.2.2 "))).toEqual({ passed: 3, refused: 1 })
    expect(await repeat(4, from("junk"))).toEqual({ passed: 4, refused: 0 })
    expect(host.logger.warnings).toEqual(["client-address-unknown"])
  })

  const failing = () => {
    throw new Error("no such header")
  }

  it.each([
    ["throws", failing],
    ["rejects", async () => failing()],
    ["returns a promise", async () => "192.0.2.1"],
    ["returns an object", () => ({ address: "192.0.2.1" })],
  ])("is unknown if the app's clientAddress %s, and the sign-in continues", async (_, clientAddress) => {
    // as: apps in JavaScript may return anything.
    const host = openLimited(only("signIn", 3), { clientAddress: clientAddress as () => never })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect(host.logger.errors.map(({ message }) => message)).toEqual(["clientAddress failed", "clientAddress failed"])
  })
})

describe("a 429 response", () => {
  const open = (options: TestHostOptions = {}) =>
    openLimited({ budgets: { signIn: { limit: 1, windowSeconds: 90 } } }, options)

  it("is a page with the time to retry, for a browser", async () => {
    using _ = fixedClock()
    const host = open()
    const browser = at(host, address)
    await requests.signIn(browser)
    const answer = await requests.signIn(browser)
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "90"])
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.headers.get("cache-control")).toContain("no-store")
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(answer.text).toContain("2 minutes")
    expect(answer.text).toContain(host.logger.errors.map((error) => Reflect.get(error, "reference")).at(-1))
    expect(answer.text).toContain('href="https://app.test/auth/signin"')
    expect(host.logger.errorTypes()).toEqual(["TooManyRequests"])
  })

  it("is JSON with the page's URL, for a client that fetches", async () => {
    const host = open({ pages: { signIn: "/login" } })
    const browser = at(host, address)
    await requests.signIn(browser)
    const headers = { "x-auth-return-redirect": "1" }
    const answer = await post(browser, "/auth/signin/oidc", {}, { headers })
    expect([answer.status, answer.json()]).toEqual([
      429,
      { message: expect.any(String), url: "https://app.test/login?error=TooManyRequests" },
    ])
    expect(answer.headers.get("cache-control")).toContain("no-store")
  })

  it("is JSON, and never null, for endpoints that only scripts use", async () => {
    const host = openLimited({
      budgets: { sessionUpdate: { limit: 1, windowSeconds: 9 }, webAuthnOptions: { limit: 1, windowSeconds: 9 } },
    })
    const browser = at(host, address)
    for (const action of ["sessionUpdate", "webAuthnOptions"] as const) {
      await requests[action](browser)
      const answer = await requests[action](browser)
      expect([isTooMany(answer), answer.json()]).toMatchObject([true, { message: expect.any(String) }])
    }
  })

  it("has its message on the sign-in page too", async () => {
    const { text } = await get(open().browser, "/auth/signin?error=TooManyRequests")
    expect(text).toContain("There were too many attempts.")
  })

  it("can be thrown by the app's code", async () => {
    const provider = passwordProvider({
      authorize() {
        throw new TooManyRequests("this tenant is over its limit", { retryAfterSeconds: 7 })
      },
    })
    const host = openLimited(false, { providers: [provider] })
    const answer = await tryPassword(host.browser, "v", "right")
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"])
    expect(answer.text).not.toContain("tenant")
  })

  it("is followed by a normal sign-in after the window", async () => {
    using clock = fixedClock()
    const host = open()
    const browser = at(host, address)
    await requests.signIn(browser)
    expect(pathOfPage(await browser.signIn("oidc"))).toBe("/auth/signin?error=TooManyRequests")
    clock.advance({ seconds: 90 })
    await browser.signIn("oidc")
    expect(await browser.session()).not.toBeNull()
  })

  it("is thrown to a caller in raw mode", async () => {
    const host = openLimited(only("callback", 1))
    const config = { ...host.config, raw }
    const ask = () =>
      Auth(new Request("https://app.test/auth/callback/oidc?code=c"), config, { clientAddress: address })
    const isOne = (error: unknown) => error instanceof TooManyRequests && error.retryAfterSeconds <= 60
    await expect(ask()).rejects.toSatisfy((error) => !isOne(error))
    await expect(ask()).rejects.toSatisfy(isOne)
  })
})

describe("the peer of clients whose address is unknown", () => {
  /** Guesses one password at many accounts, from one connection. */
  async function spray(host: ReturnType<typeof openLimited>, context: AuthContext, headers = {}) {
    let guessed = 0
    const browser = host.newBrowser()
    const csrfToken = await browser.csrfToken()
    const send = (u: string, p: string) =>
      Auth(
        requestTo("/auth/callback/cred", { form: { csrfToken, u, p }, cookie: cookiesOf(browser), headers }),
        host.config,
        context,
      )
    return repeat(60, async () => readAnswer(await send(`made-up ${++guessed}`, "wrong")))
  }

  const cookiesOf = ({ cookies }: Browser) =>
    cookies
      .list()
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")

  it.each<[string, AuthContext, Readonly<Record<string, string>>]>([
    ["garbage from a proxy", { clientAddress: "unknown", isForwarded: true, peerAddress: "10.0.0.7" }, {}],
    [
      "a framework that trusts everyone",
      { clientAddress: "127.0.0.1", trustsEveryProxy: true },
      { "x-forwarded-for": "203.0.113.9" },
    ],
    ["a proxy that is not listed", { clientAddress: "10.0.0.7" }, { "x-forwarded-for": "203.0.113.9" }],
  ])("RATE-10: limits guesses over many accounts: %s", async (_, context, headers) => {
    const host = openLimited(only("failuresPerPeer", 50))
    expect(await spray(host, context, headers)).toEqual({ passed: 50, refused: 10 })
  })

  it("RATE-10: limits them behind a listed proxy that sends garbage", async () => {
    const host = openLimited(only("failuresPerPeer", 50), { trustedProxies: ["10.0.0.0/8"] })
    const headers = { "x-forwarded-for": "garbage" }
    expect(await spray(host, { clientAddress: "10.0.0.7" }, headers)).toEqual({ passed: 50, refused: 10 })
    // Another proxy has a budget of its own.
    expect(await spray(host, { clientAddress: "10.0.0.8" }, headers)).toEqual({ passed: 50, refused: 10 })
  })

  it("RATE-10: limits them where the app's clientAddress returns garbage", async () => {
    const host = openLimited(only("failuresPerPeer", 50), { clientAddress: () => "garbage" })
    expect(await spray(host, { clientAddress: "198.51.100.7" })).toEqual({ passed: 50, refused: 10 })
  })

  it("has no budget where the address is known, and where there are no connections", async () => {
    const host = openLimited(only("failuresPerPeer", 5))
    expect(await spray(host, { clientAddress: "198.51.100.7" })).toEqual({ passed: 60, refused: 0 })
    expect(await spray(host, {})).toEqual({ passed: 60, refused: 0 })
  })

  it("gets back what right passwords used, so that the visitors of a proxy are not locked out", async () => {
    const host = openLimited(only("failuresPerPeer", 3))
    const headers = { "x-forwarded-for": "203.0.113.9" }
    const signIn = (p: string) => post(at(host, "10.0.0.7"), "/auth/callback/cred", { u: "v", p }, { headers })
    expect(await repeat(10, () => signIn("right"))).toEqual({ passed: 10, refused: 0 })
    expect(await repeat(5, () => signIn("wrong"))).toEqual({ passed: 3, refused: 2 })
  })

  it("RATE-10: limits mails to many mailboxes", async () => {
    const host = openLimited(only("mailsPerPeer", 5))
    const headers = { "x-forwarded-for": "203.0.113.9" }
    for (let n = 0; n < 9; n++)
      await post(at(host, "10.0.0.7"), "/auth/signin/email", { email: `user${n}@corp.test` }, { headers })
    expect(host.mailbox.messages).toHaveLength(5)
  })
})
