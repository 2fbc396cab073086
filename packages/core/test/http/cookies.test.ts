import { fixedClock, memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { type Answer, ask, get, post, readAnswer } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const minutes = 60 * 1000
const withoutFlow = (name: string) => name.replace(/\.[0-9a-z]{9}[\w-]{10}$/, "")

/** Every cookie of a sign-in by name, without flow ids: CSRF, checks and session. */
async function cookiesOfSignIn({ browser, idp }: TestHost): Promise<Map<string, readonly string[]>> {
  const csrf = await get(browser, "/auth/csrf")
  const begun = await post(browser, "/auth/signin/oidc", { callbackUrl: "/in" })
  const sent = await idp.handler(new Request(begun.location ?? ""))
  const done = await readAnswer(await browser.fetch(sent.headers.get("location") ?? ""))
  const all = [csrf, begun, done].flatMap((answer) => [...answer.cookies])
  const set = all.filter(([, { value }]) => value !== "")
  return new Map(set.map(([name, { attributes }]) => [withoutFlow(name), attributes]))
}

const strategies = ["jwt", "database"] as const

/** A host with a store, for either session strategy. */
const openStored = (strategy: (typeof strategies)[number], options: TestHostOptions = {}) =>
  openHost({ adapter: memoryAdapter(), session: { strategy }, ...options })

describe.each(strategies)("cookies on https, with %s sessions", (strategy) => {
  it("COOK-01: have their names, flags and lifetimes", async () => {
    using clock = fixedClock()
    const in15Minutes = "Max-Age=900"
    const flags = ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]
    const until15Minutes = `Expires=${new Date(clock.now() + 15 * minutes).toUTCString()}`
    const inADay = `Expires=${new Date(clock.now() + 30 * 24 * 60 * minutes).toUTCString()}`
    const cookies = await cookiesOfSignIn(openStored(strategy))
    const sorted = new Map([...cookies].map(([name, attributes]) => [name, [...attributes].sort()]))
    expect(sorted).toEqual(
      new Map([
        ["__Host-authjs.csrf-token", [...flags].sort()],
        ["__Secure-authjs.callback-url", [...flags].sort()],
        ["__Secure-authjs.state", [in15Minutes, ...flags].sort()],
        ["__Secure-authjs.pkce.code_verifier", [in15Minutes, ...flags].sort()],
        ["__Secure-authjs.nonce", [in15Minutes, ...flags].sort()],
        ["__Host-authjs.browser", [in15Minutes, ...flags].sort()],
        ["__Host-authjs.completed", [until15Minutes, ...flags].sort()],
        [sessionCookie, [inADay, ...flags].sort()],
      ]),
    )
  })

  it("COOK-01: are kept by browsers, hidden from scripts, and have no domain", async () => {
    const host = openStored(strategy)
    await host.browser.signIn("oidc", { callbackUrl: "/in" })
    await host.browser.signOut()
    expect(host.browser.cookies.refused).toEqual([])
    expect(host.browser.cookies.visibleToScripts()).toBe("")
    const sent = host.answers.flatMap(({ cookies }) => cookies)
    expect(sent.length).toBeGreaterThan(8)
    for (const header of sent) {
      expect(header).toMatch(/^__(?:Secure|Host)-/)
      expect(header).toMatch(/; HttpOnly(;|$)/)
      expect(header).toMatch(/; Secure(;|$)/)
      expect(header).toMatch(/; Path=\/(;|$)/)
      expect(header).toMatch(/; SameSite=Lax(;|$)/)
      expect(header).not.toMatch(/; Domain=/i)
    }
  })

  it("COOK-17: check cookies last fifteen minutes, like the values sealed in them", async () => {
    using clock = fixedClock()
    for (const [wait, isIn] of [
      [14 * 60, true],
      [15 * 60 + 16, false],
    ] as const) {
      const host = openStored(strategy)
      const { location, cookies } = await post(host.browser, "/auth/signin/oidc")
      const checks = [...cookies].filter(([name]) => /state|nonce|pkce|browser/.test(name))
      expect(checks).toHaveLength(4)
      for (const [name, { attributes }] of checks) {
        expect(attributes, name).toContain("Max-Age=900")
      }
      // A browser that keeps expired cookies: the sealed expiry counts.
      const cookie = checks.map(([name, { value }]) => `${name}=${value}`).join("; ")
      clock.advance({ seconds: wait })
      const back = (await host.idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
      const answer = await readAnswer(await host.handler(new Request(back, { headers: { cookie } })))
      expect(answer.cookies.has(sessionCookie)).toBe(isIn)
      expect(host.logger.errorTypes()).toEqual(isIn ? [] : ["InvalidCheck"])
    }
  })
})

describe.each(strategies)("cookies on http, with %s sessions", (strategy) => {
  it("COOK-02: have no prefix and no Secure", async () => {
    const cookies = await cookiesOfSignIn(openStored(strategy, { origin: "http://localhost:3000" }))
    expect([...cookies.keys()].sort()).toEqual([
      "authjs.browser",
      "authjs.callback-url",
      "authjs.completed",
      "authjs.csrf-token",
      "authjs.nonce",
      "authjs.pkce.code_verifier",
      "authjs.session-token",
      "authjs.state",
    ])
    expect([...cookies.values()].flat()).not.toContain("Secure")
  })

  it("HOST-10: have no prefix and no Secure in production either, with one warning in the log", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openStored(strategy, { origin: "http://app.example" })
    const cookies = await cookiesOfSignIn(host)
    expect([...cookies.keys()].filter((name) => name.startsWith("__"))).toEqual([])
    expect([...cookies.values()].flat()).not.toContain("Secure")
    expect(host.logger.warnings.filter((code) => code === "insecure-url")).toEqual(["insecure-url"])
    vi.unstubAllEnvs()
  })

  it("are the same as on https with useSecureCookies", async () => {
    const host = openHost({ origin: "http://localhost:3000", useSecureCookies: true })
    const { cookies } = await get(host.browser, "/auth/csrf")
    expect(cookies.get("__Host-authjs.csrf-token")?.attributes).toContain("Secure")
  })

  it("have no prefix and no Secure on https with useSecureCookies: false", async () => {
    const host = openHost({ useSecureCookies: false })
    const { cookies } = await get(host.browser, "/auth/csrf")
    expect(cookies.get("authjs.csrf-token")?.attributes).not.toContain("Secure")
  })
})

describe("config.cookies", () => {
  it("is merged over the defaults, without undefined values", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      cookies: {
        sessionToken: { name: "app.session", options: { sameSite: "strict", domain: "app.test", path: undefined } },
      },
    })
    const answer = await post(host.browser, "/auth/callback/cred", { u: "v", p: "right" })
    expect(answer.cookies.get("app.session")?.attributes).toEqual(
      expect.arrayContaining(["Domain=app.test", "Path=/", "HttpOnly", "Secure", "SameSite=Strict"]),
    )
    expect(await host.browser.session()).not.toBeNull()
    const gone = await post(host.browser, "/auth/signout")
    expect(gone.cookies.get("app.session")?.attributes).toEqual(
      expect.arrayContaining(["Max-Age=0", "Domain=app.test", "Path=/", "HttpOnly", "Secure", "SameSite=Strict"]),
    )
  })

  it("COOK-05: may be partitioned", async () => {
    const cookies = { csrfToken: { options: { partitioned: true } }, state: { options: { partitioned: true } } }
    const host = openHost({ cookies })
    const csrf = await get(host.browser, "/auth/csrf")
    expect(csrf.cookies.get("__Host-authjs.csrf-token")?.attributes).toEqual(
      expect.arrayContaining(["Secure", "Partitioned"]),
    )
    const begun = await post(host.browser, "/auth/signin/oidc")
    const state = [...begun.cookies].find(([name]) => name.includes("state"))
    expect(state?.[1].attributes).toEqual(expect.arrayContaining(["Secure", "Partitioned"]))
  })

  it.each([
    ["jwt", false],
    ["jwt", true],
    ["database", false],
    ["database", true],
  ] as const)("COOK-16: limits cookies to 400 days, with %s sessions (late: %s)", async (strategy, isLate) => {
    using clock = fixedClock()
    const host = openStored(strategy, { session: { strategy, maxAge: 10 * 365 * 24 * 60 * 60 } })
    await host.browser.signIn("oidc")
    const { cookies } = await get(host.browser, "/auth/session")
    const latest = new Date(clock.now() + 400 * 24 * 60 * minutes).toUTCString()
    expect(cookies.get(sessionCookie)?.attributes).toContain(`Expires=${latest}`)
    // On the server the session ends as configured.
    const cookie = `${sessionCookie}=${cookies.get(sessionCookie)?.value}`
    clock.advance({ days: isLate ? 10 * 365 + 1 : 10 * 365 - 1 })
    expect((await ask(host, "/auth/session", { cookie })).text === "null").toBe(isLate)
  })
})

describe.each(strategies)("planted cookies, with %s sessions", (strategy) => {
  async function openSignedIn() {
    const host = openStored(strategy)
    await host.browser.signIn("oidc")
    return host
  }

  it.each([
    ["COOK-06", `${sessionCookie}X`],
    ["COOK-06", `${sessionCookie}.x`],
    ["COOK-06", `${sessionCookie}.`],
    ["COOK-06", `${sessionCookie}.01`],
    ["COOK-06", `${sessionCookie}.4999`],
    ["COOK-07", `${sessionCookie}.0`],
    ["COOK-07", `${sessionCookie}.1`],
  ])("%s: %s beside the session does no harm", async (id, name) => {
    const host = await openSignedIn()
    host.browser.cookies.set(name, "zzz")
    for (let time = 0; time < 2; time++) {
      const { cookies, text } = await get(host.browser, "/auth/session")
      expect(text).toContain("Ada Lovelace")
      expect(cookies.get(sessionCookie)?.value).not.toBe("")
    }
    expect(host.browser.cookies.get(name)).toBe(id === "COOK-06" ? "zzz" : undefined)
    expect(host.logger.errors).toEqual([])
  })

  it.each(["first", "last"])(
    "COOK-08: a second cookie with the session's name, sent %s, does not sign the user out",
    async (place) => {
      const host = await openSignedIn()
      const good = `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}`
      const bad = `${sessionCookie}=planted`
      const answer = await ask(host, "/auth/session", {
        cookie: (place === "first" ? [bad, good] : [good, bad]).join("; "),
      })
      expect(answer.json()).toMatchObject({ user: { name: "Ada Lovelace" } })
      expect(answer.cookies.get(sessionCookie)?.value).not.toBe("")
    },
  )

  it.each([
    ["rejected with their header", 431, '"Bad request."', undefined],
    ["no session if the host accepts such headers", 200, "null", { headerBytes: 1_048_576 }],
  ])("COOK-09: five thousand chunks are %s, without setting as many cookies", async (_, status, text, limits) => {
    const host = openStored(strategy, limits && { requestLimits: limits })
    const cookie = Array.from({ length: 5000 }, (_, n) => `${sessionCookie}.${n}=z`).join("; ")
    const answer = await ask(host, "/auth/session", { cookie })
    expect([answer.status, answer.text]).toEqual([status, text])
    expect(answer.cookies.size).toBeLessThanOrEqual(21)
    for (const [, { value }] of answer.cookies) expect(value).toBe("")
  })

  it.each([
    ["COOK-13", `__Host-authjs.csrf-token=%E0%A4%A; ${sessionCookie}=%; s=%`],
    ["COOK-13", `${sessionCookie}=%E0%A4%A; __Secure-authjs.callback-url=%ZZ; __Secure-authjs.state=%`],
    ["COOK-14", "__proto__=x; constructor=y; toString=z; hasOwnProperty=1"],
    ["COOK-14", `__proto__=${encodeURIComponent('{"polluted":1}')}; __proto__.polluted=1`],
  ])("%s: %s does not cause an error", async (_, cookie) => {
    const host = openStored(strategy)
    for (const path of ["csrf", "signin", "signout", "providers"]) {
      expect((await ask(host, `/auth/${path}`, { cookie })).status, path).toBe(200)
    }
    const { status, text } = await ask(host, "/auth/session", { cookie })
    expect([status, text, Reflect.get({}, "polluted"), Object.keys(Object.prototype)]).toEqual([
      200,
      "null",
      undefined,
      [],
    ])
  })
})

describe("planted session tokens", () => {
  it("DBS-01: a session token chosen by an attacker never becomes a session", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter })
    host.browser.cookies.set(sessionCookie, "fixed-by-an-attacker")
    await host.browser.signIn("oidc")
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^[0-9a-f]{64}$/)
    expect(await adapter.getSessionAndUser("fixed-by-an-attacker")).toBeNull()
  })
})

describe("check cookies", () => {
  it("are SameSite=None; Secure if the provider uses form posts (OAU-18)", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const host = openHost({ providers: ({ idp }) => [idp.provider({ authorization })] })
    const answer: Answer = await post(host.browser, "/auth/signin/oidc")
    const checks = [...answer.cookies].filter(([name]) => /state|nonce|pkce/.test(name))
    expect(checks).toHaveLength(3)
    for (const [, { attributes }] of checks)
      expect(attributes).toEqual(expect.arrayContaining(["SameSite=None", "Secure"]))
  })

  it.each([
    ["that succeeds", undefined],
    ["that the provider rejects", "access-denied"],
    ["whose ID token is rejected", "id-token-expired"],
  ] as const)("COOK-18: are cleared by a callback %s", async (_, fault) => {
    const host = openHost()
    const { location, cookies } = await post(host.browser, "/auth/signin/oidc")
    const set = [...cookies.keys()].filter((name) => /state|nonce|pkce/.test(name)).sort()
    if (fault) host.idp.faults.turnOn(fault)
    const back = (await host.idp.handler(new Request(location ?? ""))).headers.get("location") ?? ""
    const answer = await get(host.browser, back.replace("https://app.test", ""))
    const cleared = [...answer.cookies].filter(([name]) => /state|nonce|pkce/.test(name))
    expect([set.length, cleared.map(([name]) => name).sort()]).toEqual([3, set])
    for (const [, { value, attributes }] of cleared) expect([value, attributes[0]]).toEqual(["", "Max-Age=0"])
    expect(host.browser.cookies.names().filter((name) => /state|nonce|pkce/.test(name))).toEqual([])
  })
})
