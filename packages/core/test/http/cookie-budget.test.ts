import { accessTokens } from "@latchkey/core/access-tokens"
import { providerLogout } from "@latchkey/core/provider-logout"
import { type Browser, memoryAdapter, type TestHost } from "@latchkey/testkit"
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openNodeHost } from "../setup/node-server.js"
import { ask, get, post } from "../setup/requests.js"
import { address, openFactors, strategies } from "../setup/second-factor-setup.js"
import { passwordProvider } from "../setup/sign-ins.js"

const budget = 14 * 1024

/** Characters of the service's cookies in the next request for the sign-in page. */
function sizeOf({ cookies }: Browser): number {
  const own = cookies.list().filter(({ name }) => name.includes("authjs."))
  return own.map(({ name, value }) => `${name}=${value}; `).join("").length
}

/** What a large directory sends to a user with groups. */
function sendLargeTokens({ idp }: TestHost, groups = 1060): void {
  idp.faults.turnOn({
    tokens: (tokens) => ({ ...tokens, access_token: "a".repeat(1450), refresh_token: "b".repeat(1450) }),
    idTokenClaims: (claims) => ({ ...claims, groups: "g".repeat(groups) }),
  })
}

const fat = (length: number) => ({ jwt: ({ token }: { token: object }) => ({ ...token, fat: "x".repeat(length) }) })

describe("a directory that sends large tokens", () => {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })

  async function open(length: number) {
    const opened = await openNodeHost(() => ({
      providerLogout: providerLogout({ atProvider: true }),
      accessTokens: accessTokens({ keep: "cookie" }),
      callbacks: fat(length),
    }))
    closers.push(opened.close)
    sendLargeTokens(opened.host)
    await opened.browser.signIn("oidc")
    return opened
  }

  it("COOK-10: locks no browser out of Node's server: what does not fit is left out, with a line in the log", async () => {
    const { host, browser } = await open(2800)
    expect(sizeOf(browser)).toBeLessThanOrEqual(budget)
    expect((await browser.open("/")).status).toBe(200)
    expect(await browser.session()).toMatchObject({ user: { email: "ada@example.com" } })
    const names = browser.cookies.names().filter((name) => /hint|tokens/.test(name))
    expect(names).toEqual(["authjs.tokens.oidc.0", "authjs.tokens.oidc.1", "authjs.hint"])
    expect(host.logger.warnings).toContain("cookies-full")
    expect(host.logger.warningDetails).toEqual([expect.stringMatching(/authjs\.hint.*providerLogout/)])
  })

  it("has its ID token kept once, and gets the user's id at the sign-out there, where the token does not fit", async () => {
    const { host, browser } = await open(10)
    expect(sizeOf(browser)).toBeLessThan(10 * 1024)
    await browser.signOut()
    const sent = host.idp.requests.logout.at(-1)?.params
    expect([sent?.get("id_token_hint"), sent?.get("logout_hint")]).toEqual([null, "ada-1815"])
  })
})

describe("a sign-in that waits for its second factor, in cookies", () => {
  it("FAC-02: is refused before it is set if it does not fit beside the session, and names the methods that help", async () => {
    const hosting = await openFactors({ lacks: ["keepTemporary", "takeTemporary"], callbacks: fat(4000) })
    const { browser } = await hosting.enroll()
    sendLargeTokens(hosting.host, 800)
    const page = await browser.signIn("oidc")
    expect([page.url.pathname, sizeOf(browser) <= budget]).toEqual(["/auth/error", true])
    expect(browser.cookies.names().filter((name) => name.includes("held"))).toEqual([])
    expect(hosting.host.logger.errors).toMatchObject([
      { type: "HeldTooLarge", message: expect.stringContaining("keepTemporary") },
    ])
    expect(await browser.session()).toMatchObject({ user: {} })
  })

  it("FAC-02: fits in the same browser when it is signed out", async () => {
    const hosting = await openFactors({ lacks: ["keepTemporary", "takeTemporary"], callbacks: fat(4000) })
    const { browser } = await hosting.enroll()
    await browser.signOut()
    sendLargeTokens(hosting.host, 800)
    expect((await browser.signIn("oidc")).url.pathname).toBe("/auth/second-factor")
    expect(sizeOf(browser)).toBeLessThanOrEqual(budget)
  })
})

/** Routes that set no cookie for this browser, and some that do. */
const routes = ["session", "providers", "csrf", "signin", "signout", "error", "verify-request"]

describe("a browser over the budget", () => {
  const junk = fc.constantFrom(
    "__Secure-authjs.callback-url",
    "__Host-authjs.hint",
    "__Host-authjs.leaving",
    "__Host-authjs.held.0",
    "__Host-authjs.tokens.oidc",
    "__Host-authjs.mail.000000001abcdefghij",
    "__Secure-authjs.state.000000001abcdefghij",
    "__Secure-authjs.state",
    "__Secure-authjs.challenge",
    "__Secure-authjs.session-token.7",
    "__Secure-authjs.session-token.x",
    "__Host-authjs.csrf-token",
    "__Host-authjs.browser",
    "authjs.held",
    "__Secure-authjs.form-values",
    "authjs.unknown",
  )

  it("COOK-09: is freed by its next request, whatever the route", async () => {
    const host = openHost({ session: { strategy: "database" }, adapter: memoryAdapter() })
    const names = fc.uniqueArray(junk, { minLength: 4, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(names, fc.constantFrom(...routes), async (planted, route) => {
        const browser = host.newBrowser()
        for (const name of planted) browser.cookies.set(name, "x".repeat(Math.ceil((budget + 300) / planted.length)))
        await get(browser, `/auth/${route}`)
        // The clearing of a cookie with another path is that of the page.
        expect(sizeOf(browser)).toBeLessThanOrEqual(budget)
      }),
      { numRuns: 60 },
    )
  })

  it.each(routes)("keeps its session and what it needs, on GET /%s", async (route) => {
    const host = openHost({ providers: [passwordProvider()], callbacks: fat(5000) })
    await host.browser.signIn("cred", { u: "v", p: "right" })
    host.browser.cookies.set("__Host-authjs.proof", "p".repeat(500))
    for (const n of [1, 2, 3]) host.browser.cookies.set(`__Secure-authjs.planted-${n}`, "x".repeat(3000))
    await get(host.browser, `/auth/${route}`)
    expect(sizeOf(host.browser)).toBeLessThanOrEqual(budget)
    expect(await host.browser.session()).toMatchObject({ user: { name: "V" } })
    expect(host.browser.cookies.get("__Host-authjs.proof")).toHaveLength(500)
  })

  it("loses none of its cookies for a huge one of a neighboring site", async () => {
    const host = openHost({ providers: [passwordProvider()] })
    await host.browser.signIn("cred", { u: "v", p: "right" })
    const own = host.browser.cookies.names()
    host.browser.cookies.set("tracking", "x".repeat(15_000))
    for (const route of routes) await get(host.browser, `/auth/${route}`)
    expect(host.browser.cookies.names()).toEqual(expect.arrayContaining([...own]))
  })

  it("gets no cookies with a file that caches keep", async () => {
    const host = openHost()
    const page = await get(host.browser, "/auth/signin")
    const path = /href="([^"]*style\.css[^"]*)"/.exec(page.text)?.[1] ?? ""
    const cookie = `__Secure-authjs.planted=${"x".repeat(15_000)}`
    const answer = await ask(host, new URL(path, "https://app.test").href.slice("https://app.test".length), { cookie })
    expect([answer.headers.get("cache-control"), answer.cookies.size]).toEqual([expect.stringMatching(/^public/), 0])
  })
})

type Step = (browser: Browser, hosting: Awaited<ReturnType<typeof openMix>>) => Promise<unknown>

const steps: Readonly<Record<string, Step>> = {
  async "signs in at a provider"(browser) {
    await browser.signIn("oidc")
  },
  async "signs in at another provider"(browser) {
    await browser.signIn("oauth")
  },
  async "signs in, and is asked for a second factor"(browser, { state }) {
    state.isHeld = true
    await browser.signIn("oidc")
    state.isHeld = false
  },
  async "begins flows in five tabs"(browser) {
    for (let n = 0; n < 5; n++) {
      await post(browser, "/auth/signin/oidc", { callbackUrl: `/${"p".repeat(n % 2 === 0 ? 3000 : 400)}` })
    }
  },
  async "asks for mails"(browser) {
    for (let n = 0; n < 2; n++) await post(browser, "/auth/signin/email", { email: address, callbackUrl: "/home" })
  },
  async "opens pages with passkeys"(browser) {
    for (let n = 0; n < 3; n++) await get(browser, "/auth/webauthn-options/passkey?action=authenticate")
  },
  async "types a wrong password"(browser) {
    await post(browser, "/auth/callback/cred", { name: "e".repeat(190) })
  },
  async "loads the sign-in page"(browser) {
    await get(browser, "/auth/signin?error=CredentialsSignin")
  },
  async "has a larger session"(browser, { state }) {
    state.fat += 2500
    await browser.session()
  },
  async "has a smaller session"(browser, { state }) {
    state.fat = 10
    await browser.session()
  },
  async "signs out"(browser) {
    await browser.signOut()
  },
}

interface Mix {
  readonly strategy: (typeof strategies)[number]
  readonly hasLogout: boolean
  readonly hasTokens: boolean
  readonly keepsHolds: boolean
  readonly tokens: number
  readonly groups: number
  readonly fat: number
}

async function openMix({ strategy, hasLogout, hasTokens, keepsHolds, tokens, groups, fat: length }: Mix) {
  const state = { fat: length, isHeld: false }
  const hosting = await openFactors({
    strategy,
    secondFactor: { require: () => state.isHeld },
    lacks: keepsHolds ? [] : ["keepTemporary", "takeTemporary"],
    theme: { rememberProvider: true },
    callbacks: { jwt: ({ token }) => ({ ...token, fat: "x".repeat(state.fat) }) },
    ...(hasLogout && { providerLogout: providerLogout({ atProvider: true }) }),
    ...(hasTokens && { accessTokens: accessTokens({ keep: "cookie" }) }),
  })
  hosting.host.idp.faults.turnOn({
    tokens: (all) => ({ ...all, access_token: "a".repeat(tokens), refresh_token: "b".repeat(tokens) }),
    idTokenClaims: (claims) => ({ ...claims, groups: "g".repeat(groups) }),
  })
  return { ...hosting, state }
}

describe("the cookies of the service", () => {
  it("COOK-10: never exceed their budget: any features, tokens of any size, both strategies, whatever a visitor does", async () => {
    const mix = fc.record({
      strategy: fc.constantFrom(...strategies),
      hasLogout: fc.boolean(),
      hasTokens: fc.boolean(),
      keepsHolds: fc.boolean(),
      tokens: fc.integer({ min: 10, max: 4000 }),
      groups: fc.integer({ min: 0, max: 3000 }),
      fat: fc.integer({ min: 0, max: 7000 }),
    })
    const walk = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 3, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(mix, walk, async (features, names) => {
        const hosting = await openMix(features)
        const browser = hosting.host.newBrowser()
        for (const name of names) {
          await steps[name]?.(browser, hosting)
          expect([name, Math.max(sizeOf(browser), budget)]).toEqual([name, budget])
        }
        expect(browser.cookies.refused).toEqual([])
      }),
      { numRuns: 20 },
    )
  })
})
