import { Auth } from "@latchkey/core"
import { nativeApps } from "@latchkey/core/native"
import { type FreshSession, type RequireFreshOptions, type SessionView, trackSessions } from "@latchkey/core/sessions"
import { type AccessToken, type AccessTokenOptions, keepTokens } from "@latchkey/core/tokens"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import { fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { fixedClock } from "../time/fixed-clock.js"
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
  /** The headers that sign the request in: `cookie`, or `authorization`. An empty cookie: signed out. */
  readonly sent: Readonly<Record<string, string>>
}

/**
 * Registers the tests of the functions that list and end sessions and return access tokens.
 * @param bind Binds the functions to a request at the origin.
 * @param origin Default: `http://app.test`.
 */
export function testSessionFunctions(bind: Bind, origin = "http://app.test"): void {
  const open = () => openTracked(bind, origin)

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

  it("return an access token of the signed-in user's provider, which is refreshed when it is due", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const given = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], tokens: keepTokens() }
    const config = { ...given, adapter: memoryAdapter() }
    const network = { [idp.origin]: idp.handler }
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
    await browser.signIn("oidc")
    const user = await bind({ config, sent: { cookie: toCookieHeader(browser) } })
    const stranger = await bind({ config, sent: { cookie: "" } })
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
}

type Bind = (visit: TrackedVisit) => SessionFunctions | Promise<SessionFunctions>

/** Three sessions of the user: the current one and two others. */
async function openTracked(
  bind: Bind,
  origin: string,
): Promise<{ readonly user: SessionFunctions; readonly stranger: SessionFunctions }> {
  const { id, name, email } = integrationUser
  const adapter = memoryAdapter()
  await adapter.createUser({ id, name, email, emailVerified: null })
  const session = { strategy: "jwt", track: trackSessions() } as const
  const config = { ...integrationConfig(), basePath: "/auth", adapter, session }
  const [cookie = ""] = await Promise.all([1, 2, 3].map(() => signIn(config, origin)))
  return { user: await bind({ config, sent: { cookie } }), stranger: await bind({ config, sent: { cookie: "" } }) }
}

const challenge = 'Latchkey error="insufficient_user_authentication", max_age=600'

/** The path of the page to which `requireFresh` leads: by a redirect, or named in JSON with an error and its challenge. */
async function readPath(answer: FreshSession | Response, expected: "FreshnessRequired" | "SignedOut"): Promise<string> {
  // Not `instanceof`: some servers replace the global class.
  if ("auth" in answer) throw new Error("The session counted as fresh")
  const location = answer.headers.get("location")
  if (location !== null) {
    expect(answer.status).toBe(303)
    return new URL(location).pathname
  }
  const { error, url } = (await answer.json()) as { readonly error: string; readonly url: string }
  expect([answer.status, error]).toEqual([expected === "SignedOut" ? 401 : 403, expected])
  if (expected === "FreshnessRequired") expect(answer.headers.get("www-authenticate")).toBe(challenge)
  return new URL(url).pathname
}

function testCookieTokens(bind: Bind, origin: string): void {
  it("KEEP-05: return an access token that is kept in a cookie, which the response that refreshed it sets", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = keepTokens({ keep: "cookie" })
    const config = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], tokens }
    const network = { [idp.origin]: idp.handler }
    const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
    await browser.signIn("oidc")
    const user = await bind({ config, sent: { cookie: toCookieHeader(browser) } })
    const first = await user.getAccessToken({ provider: "oidc" })
    expect(listTokenCookies(user)).toEqual([])
    clock.advance({ hours: 2 })
    const second = await user.getAccessToken({ provider: "oidc" })
    const [cookie = "", ...others] = listTokenCookies(user)
    expect([second.accessToken === first.accessToken, others]).toEqual([false, []])
    expect(cookie).toMatch(/; Path=\/; HttpOnly(?:; Secure)?; SameSite=Lax$/i)
    const late = await bind({ config, sent: { cookie: toCookieHeader(browser) } })
    expect([await late.getAccessToken({ provider: "oidc" }), listTokenCookies(late)]).toEqual([second, []])
    const [pair = ""] = cookie.split(";")
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    clock.advance({ minutes: 2 })
    const next = await bind({ config, sent: { cookie: toCookieHeader(browser) } })
    expect([await next.getAccessToken({ provider: "oidc" }), idp.requests.token.length]).toEqual([second, 2])
  })
}

const listTokenCookies = (user: SessionFunctions): readonly string[] =>
  user.setCookies().filter((line) => line.includes("authjs.tokens."))

function testNativeToken(bind: Bind, origin: string): void {
  it("NAT-24: know the user of a native app by its token, and set no cookie", async () => {
    const { id, name, email } = integrationUser
    const adapter = memoryAdapter()
    await adapter.createUser({ id, name, email, emailVerified: null })
    const session = { strategy: "jwt", track: trackSessions() } as const
    const native = nativeApps({ clients: [nativeClient] })
    const config = { ...integrationConfig(), basePath: "/auth", adapter, session, native }
    const handler = (request: Request) => Auth(request, config)
    const browser = createBrowser({ handler, origin, basePath: "/auth" })
    const { username, password } = integrationUser
    await browser.signIn("credentials", { username, password, callbackUrl: `${origin}/auth/session` })
    const token = await signInNativeApp(browser, { handler, basePath: "/auth" })
    const app = await bind({ config, sent: { authorization: `Bearer ${token}` } })
    expect((await app.listSessions()).map(({ label }) => label)).toEqual([nativeClient.name, null])
    const fresh = await app.requireFresh({ maxAgeSeconds: 600 })
    expect("auth" in fresh && fresh.user).toMatchObject({ email })
    expect(app.setCookies().filter((line) => line.includes("session-token"))).toEqual([])
    const forged = await bind({ config, sent: { authorization: `Bearer ${token}x`, cookie: toCookieHeader(browser) } })
    expect(await forged.listSessions()).toEqual([])
    expect(await readPath(await forged.requireFresh({ maxAgeSeconds: 600 }), "SignedOut")).toBe("/auth/signin")
  })
}

/** Returns the `Cookie` header of a new session. */
async function signIn(config: AuthConfig, origin: string): Promise<string> {
  const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth" })
  const { username, password } = integrationUser
  await browser.signIn("credentials", { username, password, callbackUrl: `${origin}/auth/session` })
  return toCookieHeader(browser)
}

function toCookieHeader({ cookies }: Browser): string {
  const all = cookies.list()
  return all.map(({ name, value }) => `${name}=${value}`).join("; ")
}
