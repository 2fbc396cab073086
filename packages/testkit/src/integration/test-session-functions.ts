import { Auth } from "@latchkey/core"
import { type AccessToken, type AccessTokenOptions, accessTokens } from "@latchkey/core/access-tokens"
import { nativeApps } from "@latchkey/core/native-apps"
import { type FreshSession, type RequireFreshOptions, type SessionView, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import { fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { fixedClock } from "../time/fixed-clock.js"
import { describeBehavior } from "./behavior.js"
import { nativeClient, signInNativeApp } from "./native-app.js"
import { integrationConfig, integrationUser } from "./server-under-test.js"

/** The functions of an integration, called for one request of the user. */
export interface SessionFunctions {
  listSessions(): Promise<readonly SessionView[]>
  endSession(id: string): Promise<boolean>
  endOtherSessions(): Promise<number>
  signOutEverywhere(userId: string): Promise<number>
  getAccessToken(options: AccessTokenOptions): Promise<AccessToken>
  /** The session, else the response: from the app's address, if the framework sends it by itself. */
  requireFresh(options: RequireFreshOptions): Promise<FreshSession | Response>
  /** The `Set-Cookie` values of the response to the last call. */
  setCookies(): readonly string[]
}

/** A request of the signed-in user. */
export interface TrackedVisit {
  readonly config: AuthConfig
  /** Of each request. An empty `cookie`: signed out. Browsers that load a page have an `accept` with `text/html`. */
  readonly headers: { readonly cookie: string; readonly accept: string; readonly authorization?: string }
}

/**
 * Registers the tests of the functions that list and end sessions, require a recent proof and return access tokens.
 * @param bind Binds the functions to a request at the origin.
 * @param origin Default: `http://app.test`.
 */
export function testSessionFunctions(bind: Bind, origin = "http://app.test"): void {
  const open = (accept?: string) => openTracked(bind, origin, accept)

  describeBehavior("functions for one request", () => {
    it("list and end the sessions of the signed-in user", async () => {
      const { user, stranger } = await open()
      expect([await stranger.listSessions(), await stranger.endSession("any")]).toEqual([[], false])
      expect(await stranger.endOtherSessions()).toBe(0)
      const [current, other] = await user.listSessions()
      expect([current?.isCurrent, other?.isCurrent, current?.createdAt]).toEqual([true, false, expect.any(Date)])
      expect(await user.endSession("unknown")).toBe(false)
      expect(await user.endSession(other?.id ?? "")).toBe(true)
      expect(await user.endOtherSessions()).toBe(1)
      expect((await user.listSessions()).map(({ id }) => id)).toEqual([current?.id])
      expect(await user.signOutEverywhere(integrationUser.id)).toBe(1)
      expect(await user.listSessions()).toEqual([])
    })

    it("SESS-05: end another session only for a user who signed in during the last ten minutes", async () => {
      using clock = fixedClock(new Date())
      const { user } = await open()
      clock.advance({ minutes: 10 })
      const [current, other] = await user.listSessions()
      const refused = { type: "FreshnessRequired" }
      await expect(user.endSession(other?.id ?? "")).rejects.toMatchObject(refused)
      await expect(user.endOtherSessions()).rejects.toMatchObject(refused)
      expect(await user.listSessions()).toHaveLength(3)
      expect(await user.endSession(current?.id ?? "")).toBe(true)
    })

    testFreshness(open)
    it("return an access token of the signed-in user's provider, which is refreshed when it is due", async () => {
      using clock = fixedClock(new Date())
      const idp = fakeIdentityProvider()
      const given = {
        ...integrationConfig(),
        basePath: "/auth",
        providers: [idp.provider()],
        accessTokens: accessTokens(),
      }
      const config = { ...given, adapter: memoryAdapter() }
      const network = { [idp.origin]: idp.handler }
      const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
      await browser.signIn("oidc")
      const user = await bind({ config, headers: toHeaders(browser) })
      const stranger = await bind({ config, headers: { cookie: "", accept: anything } })
      const refused = { type: "AccessTokenUnavailable", reason: "signed-out" }
      await expect(stranger.getAccessToken({ provider: "oidc" })).rejects.toMatchObject(refused)
      const first = await user.getAccessToken({ provider: "oidc" })
      expect(idp.issued.map(({ value }) => value)).toContain(first.accessToken)
      expect(await user.getAccessToken({ provider: "oidc" })).toEqual(first)
      clock.advance({ hours: 2 })
      const { accessToken } = await user.getAccessToken({ provider: "oidc" })
      expect([accessToken === first.accessToken, idp.requests.token.length]).toEqual([false, 2])
    })

    testCookieTokens(bind, origin)
    testNativeToken(bind, origin)
  })
}

/**
 * Registers the test of the page to which the user returns, for integrations that convert the requests of a server.
 * @param start Starts an app whose `/pay` calls `requireFresh` for every method, and returns its origin.
 */
export function testReturnPage(start: (config: AuthConfig) => Promise<string>): void {
  describeBehavior("functions for one request", () => {
    it("requireFresh redirects to the sign-in page, and back to the page that was requested or has the form", async () => {
      const session = { strategy: "jwt", track: trackSessions() } as const
      const origin = await start({ ...integrationConfig(), basePath: "/auth", adapter: memoryAdapter(), session })
      const findReturnPage = async (method: "GET" | "POST", path: string, referer: string) => {
        const headers = { accept: page, referer }
        const answer = await fetch(origin + path, { method, headers, redirect: "manual" })
        const { pathname, searchParams } = readRedirect(answer)
        expect(pathname).toBe("/auth/signin")
        return searchParams.get("callbackUrl")
      }
      const cart = `${origin}/cart?id=1`
      expect(await findReturnPage("GET", "/pay?amount=5", cart)).toBe(`${origin}/pay?amount=5`)
      expect(await findReturnPage("POST", "/pay", cart)).toBe(cart)
      expect(await findReturnPage("POST", "/pay", "https://evil.test/cart")).toBe(origin)
    })
  })
}

const anything = "*/*"
const page = "text/html,application/xhtml+xml,*/*;q=0.8"

type Bind = (visit: TrackedVisit) => SessionFunctions | Promise<SessionFunctions>

interface Visitors {
  readonly user: SessionFunctions
  readonly stranger: SessionFunctions
}

/** Three sessions of the user: the current one and two others. */
async function openTracked(bind: Bind, origin: string, accept = anything): Promise<Visitors> {
  const { id, name, email } = integrationUser
  const adapter = memoryAdapter()
  await adapter.createUser({ id, name, email, emailVerified: null })
  const session = { strategy: "jwt", track: trackSessions() } as const
  const config = { ...integrationConfig(), basePath: "/auth", adapter, session }
  const [cookie = ""] = await Promise.all([1, 2, 3].map(() => signIn(config, origin)))
  const visit = (sent: string) => bind({ config, headers: { cookie: sent, accept } })
  return { user: await visit(cookie), stranger: await visit("") }
}

const challenge = 'Latchkey error="insufficient_user_authentication", max_age=600'

function testFreshness(open: (accept?: string) => Promise<Visitors>): void {
  it("require a recent proof, and answer clients that have none", async () => {
    using clock = fixedClock(new Date())
    const { user, stranger } = await open()
    const options = { maxAgeSeconds: 600, factors: 1 } as const
    const session = await user.requireFresh(options)
    expect(session).toMatchObject({
      user: { email: integrationUser.email },
      auth: { time: Math.floor(Date.now() / 1000), methods: ["pwd"], level: 1 },
    })
    expect(await readPath(await user.requireFresh({ ...options, factors: 2 }), "FreshnessRequired")).toBe(
      "/auth/signin",
    )
    clock.advance({ minutes: 10 })
    expect(await readPath(await user.requireFresh(options), "FreshnessRequired")).toBe("/auth/signin")
    expect(await readPath(await stranger.requireFresh(options), "SignedOut")).toBe("/auth/signin")
  })

  it("redirect a page to the sign-in page, and from there back to the app", async () => {
    using clock = fixedClock(new Date())
    const { user, stranger } = await open(page)
    const options = { maxAgeSeconds: 600, factors: 1 } as const
    expect(await user.requireFresh(options)).toMatchObject({ user: { email: integrationUser.email } })
    clock.advance({ minutes: 10 })
    for (const visitor of [user, stranger]) {
      const { pathname, origin: app, searchParams } = readRedirect(await visitor.requireFresh(options))
      expect([pathname, new URL(searchParams.get("callbackUrl") ?? "").origin]).toEqual(["/auth/signin", app])
    }
  })
}

/** The path of the page to which `requireFresh` leads: by a redirect, or named in JSON with an error and its challenge. */
async function readPath(answer: FreshSession | Response, expected: "FreshnessRequired" | "SignedOut"): Promise<string> {
  assertRefused(answer)
  if (answer.headers.has("location")) return readRedirect(answer).pathname
  const { error, url } = (await answer.json()) as { readonly error: string; readonly url: string }
  expect([answer.status, error]).toEqual([expected === "SignedOut" ? 401 : 403, expected])
  if (expected === "FreshnessRequired") expect(answer.headers.get("www-authenticate")).toBe(challenge)
  return new URL(url).pathname
}

function readRedirect(answer: FreshSession | Response): URL {
  assertRefused(answer)
  expect(answer.status).toBe(303)
  return new URL(answer.headers.get("location") ?? "")
}

function assertRefused(answer: FreshSession | Response): asserts answer is Response {
  // Not `instanceof`: some servers replace the global class.
  if ("auth" in answer) throw new Error("The session counted as fresh")
}

function testNativeToken(bind: Bind, origin: string): void {
  it("NAT-23: know the user of a native app by its token, and set no cookie", async () => {
    const { id, name, email, username, password } = integrationUser
    const adapter = memoryAdapter()
    await adapter.createUser({ id, name, email, emailVerified: null })
    const session = { strategy: "jwt", track: trackSessions() } as const
    const native = nativeApps({ clients: [nativeClient] })
    const config = { ...integrationConfig(), basePath: "/auth", adapter, session, native }
    const handler = (request: Request) => Auth(request, config)
    const browser = createBrowser({ handler, origin, basePath: "/auth" })
    await browser.signIn("credentials", { username, password, callbackUrl: `${origin}/auth/session` })
    const token = await signInNativeApp(browser, { handler, basePath: "/auth" })
    const headers = { cookie: "", accept: anything, authorization: `Bearer ${token}` }
    const app = await bind({ config, headers })
    expect((await app.listSessions()).map(({ label }) => label)).toEqual([nativeClient.name, null])
    const fresh = await app.requireFresh({ maxAgeSeconds: 600 })
    expect("auth" in fresh && fresh.user).toMatchObject({ email })
    expect(app.setCookies().filter((line) => line.includes("session-token"))).toEqual([])
    const planted = { ...toHeaders(browser), authorization: `Bearer ${token}x` }
    const forged = await bind({ config, headers: planted })
    expect(await forged.listSessions()).toEqual([])
    expect(await readPath(await forged.requireFresh({ maxAgeSeconds: 600 }), "SignedOut")).toBe("/auth/signin")
  })
}

function testCookieTokens(bind: Bind, origin: string): void {
  it("KEEP-05: return an access token that is kept in a cookie, which the response that refreshed it sets", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = accessTokens({ keep: "cookie" })
    const config = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], tokens }
    const network = { [idp.origin]: idp.handler }
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
    await browser.signIn("oidc")
    const user = await bind({ config, headers: toHeaders(browser) })
    const first = await user.getAccessToken({ provider: "oidc" })
    expect(listTokenCookies(user)).toEqual([])
    clock.advance({ hours: 2 })
    const second = await user.getAccessToken({ provider: "oidc" })
    const [cookie = "", ...others] = listTokenCookies(user)
    expect([second.accessToken === first.accessToken, others]).toEqual([false, []])
    expect(cookie).toMatch(/; Path=\/; HttpOnly(?:; Secure)?; SameSite=Lax$/i)
    const late = await bind({ config, headers: toHeaders(browser) })
    expect([await late.getAccessToken({ provider: "oidc" }), listTokenCookies(late)]).toEqual([second, []])
    const [pair = ""] = cookie.split(";")
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    clock.advance({ minutes: 2 })
    const next = await bind({ config, headers: toHeaders(browser) })
    expect([await next.getAccessToken({ provider: "oidc" }), idp.requests.token.length]).toEqual([second, 2])
  })
}

const listTokenCookies = (user: SessionFunctions): readonly string[] =>
  user.setCookies().filter((line) => line.includes("authjs.tokens."))

/** Returns the `Cookie` header of a new session. */
async function signIn(config: AuthConfig, origin: string): Promise<string> {
  const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth" })
  const { username, password } = integrationUser
  await browser.signIn("credentials", { username, password, callbackUrl: `${origin}/auth/session` })
  return toCookieHeader(browser)
}

const toHeaders = (browser: Browser): TrackedVisit["headers"] => ({ cookie: toCookieHeader(browser), accept: anything })

function toCookieHeader({ cookies }: Browser): string {
  const all = cookies.list()
  return all.map(({ name, value }) => `${name}=${value}`).join("; ")
}
