import type { UserAuth } from "@latchkey/core/integration"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { fixedClock } from "../time/fixed-clock.js"
import { describeBehavior } from "./behavior.js"
import type { OpenApp } from "./form-app.js"
import { integrationConfig, integrationUser } from "./server-under-test.js"
import { testAccessTokens } from "./test-access-tokens.js"
import { type FormActionsOptions, testFormActions } from "./test-form-actions.js"
import { testFreshness } from "./test-freshness.js"
import { testOutage } from "./test-outage.js"
import { anything, type OpenedApp, openApp, page, signedIn, toCookieHeader, type Visitor } from "./visitors.js"

/** How a framework differs from others. */
export interface UserAuthOptions extends Omit<FormActionsOptions, "hasUpdateSession"> {
  /** When the cookie of a session is renewed. Default: `read`, in a request whose code reads the session. */
  readonly renews?: "read" | "always" | "never" | undefined
  /**
   * Whether a page knows its own address. If not, each request counts as that of a page, and `requireAuth` returns to the
   * app's root. Default: true.
   */
  readonly knowsPage?: boolean | undefined
}

/** All members, so that none is forgotten: not by a framework, and not by this suite. */
const members: Readonly<Record<keyof UserAuth, true>> = {
  session: true,
  getSession: true,
  signIn: true,
  signOut: true,
  updateSession: true,
  requireAuth: true,
  requireFresh: true,
  getAccessToken: true,
  listSessions: true,
  endSession: true,
  endOtherSessions: true,
  signOutEverywhere: true,
}

/** Registers the tests of all members of `auth`, by the requests of an app. */
export function testUserAuth(open: OpenApp, options: UserAuthOptions = {}): void {
  testFormActions(open, options)
  describeBehavior("functions for one request", () => {
    it("auth has all members", async () => {
      const { user } = await openTracked(open)
      const names = Object.keys(members).toSorted()
      expect(
        await user.call(async (auth) =>
          Object.keys(auth)
            .filter((name) => name in members)
            .toSorted(),
        ),
      ).toEqual(names)
    })

    testSession(open, options)
    testSignIn(open)
    testRequireAuth(open, options)
    testSessions(open)
    testFreshness(open, options)
    testOutage(open, options)
    testAccessTokens(open)
  })
}

function testConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  return { ...integrationConfig(), basePath: "/auth", ...changes }
}

const sessionLines = (visitor: Visitor): readonly string[] =>
  visitor.setCookies().filter((line) => line.includes("authjs.session-token="))

const forged = { cookie: "authjs.session-token=forged; __Secure-authjs.session-token=forged" }

function testSession(open: OpenApp, { renews = "read" }: UserAuthOptions): void {
  it("getSession reads the session once for each request, and renews its cookie once", async () => {
    let reads = 0
    const callbacks: AuthConfig["callbacks"] = {
      session({ session }) {
        reads++
        return session
      },
    }
    const app = await openApp(open, testConfig({ callbacks }))
    const user = app.visitor({ cookie: toCookieHeader(await signedIn(app)) })
    reads = 0
    const sessions = await user.call(async (auth) => Promise.all([auth.getSession(), auth.getSession()]))
    expect(sessions.map((session) => session?.user?.name)).toEqual([integrationUser.name, integrationUser.name])
    expect([reads, sessionLines(user).length]).toEqual([1, renews === "never" ? 0 : 1])
  })

  it("getSession returns null when signed out, and for a forged cookie, which it clears", async () => {
    const app = await openApp(open, testConfig())
    const [stranger, forger] = [app.visitor({}), app.visitor(forged)]
    expect([await stranger.getSession(), sessionLines(stranger)]).toEqual([null, []])
    expect(await forger.getSession()).toBeNull()
    if (renews !== "never") expect(sessionLines(forger).join()).toContain("Max-Age=0")
  })

  it("CONF-01: getSession throws when the session cannot be read", async () => {
    const { visitor } = await openApp(open, testConfig({ secret: "" }))
    await expect(visitor({}).getSession()).rejects.toMatchObject({ name: "AuthError" })
  })

  if (renews === "always") return
  it("a request whose code does not read the session sets no cookie", async () => {
    const app = await openApp(open, testConfig())
    const user = app.visitor({ cookie: toCookieHeader(await signedIn(app)) })
    await user.call(async () => null)
    expect(sessionLines(user)).toEqual([])
  })
}

function testSignIn(open: OpenApp): void {
  it("signIn takes options, and keeps its cookies over clearing an invalid cookie of the request", async () => {
    const app = await openApp(open, testConfig())
    const forger = app.visitor({ ...forged, method: "POST" })
    const { username, password } = integrationUser
    const url = await forger.call(async (auth) => {
      const target = await auth.signIn({ providerId: "credentials", fields: { username, password }, redirectTo: "/in" })
      await auth.getSession()
      return target
    })
    expect(url).toBe(`${app.origin}/in`)
    expect(sessionLines(forger).at(-1)).toEqual(expect.not.stringContaining("Max-Age=0"))
  })

  it("signIn returns the sign-in page without a provider", async () => {
    const app = await openApp(open, testConfig())
    const url = new URL(await app.visitor({}).call((auth) => auth.signIn()), app.origin)
    expect(url.href).toMatch(`${app.origin}/auth/signin?callbackUrl=%2F`)
  })
}

function testRequireAuth(open: OpenApp, { knowsPage = true }: UserAuthOptions): void {
  it("requireAuth returns the session of a user, and answers everyone else", async () => {
    const app = await openApp(open, testConfig())
    const cookie = toCookieHeader(await signedIn(app))
    expect(await app.visitor({ cookie }).requireAuth()).toMatchObject({ user: { name: integrationUser.name } })
    for (const sent of [{}, forged]) {
      const refusal = await app.visitor({ ...sent, accept: page, query: "?a=1&b=2" }).requireAuth()
      assertRefused(refusal)
      const { pathname, searchParams } = new URL(refusal.headers.get("location") ?? "", app.origin)
      expect([refusal.status, pathname]).toEqual([303, "/auth/signin"])
      expect(searchParams.get("callbackUrl")).toBe(knowsPage ? "/form?a=1&b=2" : "/")
    }
    const refusal = await app.visitor({ accept: anything }).requireAuth()
    assertRefused(refusal)
    expect(refusal.status).toBe(knowsPage ? 401 : 303)
  })

  it("CONF-01: requireAuth throws when the session cannot be read", async () => {
    const { visitor } = await openApp(open, testConfig({ secret: "" }))
    await expect(visitor({}).call((auth) => auth.requireAuth())).rejects.toMatchObject({ name: "AuthError" })
  })

  if (!knowsPage) return
  it("requireAuth throws on the app's own sign-in page, which needs no session", async () => {
    const { visitor } = await openApp(open, testConfig({ pages: { signIn: "/form" } }))
    await expect(visitor({}).call((auth) => auth.requireAuth())).rejects.toThrow("pages.signIn")
  })
}

/** Three sessions of the user: the current one and two others. */
async function openTracked(open: OpenApp): Promise<Tracked> {
  const { id, name, email } = integrationUser
  const adapter = memoryAdapter()
  await adapter.createUser({ id, name, email, emailVerified: null })
  const session = { strategy: "jwt", track: trackSessions() } as const
  const app = await openApp(open, testConfig({ adapter, session }))
  const [cookie] = await Promise.all([1, 2, 3].map(async () => toCookieHeader(await signedIn(app))))
  const user = { cookie: cookie ?? "" }
  return { app, headers: user, user: app.visitor(user), stranger: app.visitor({}) }
}

interface Tracked {
  readonly app: OpenedApp
  readonly headers: { readonly cookie: string }
  readonly user: Visitor
  readonly stranger: Visitor
}

function testSessions(open: OpenApp): void {
  it("listSessions, endSession and endOtherSessions list and end the sessions of the signed-in user", async () => {
    const { user, stranger } = await openTracked(open)
    expect([await stranger.listSessions(), await stranger.endSession("any")]).toEqual([[], false])
    expect(await stranger.endOtherSessions()).toBe(0)
    const [current, other] = await user.listSessions()
    expect([current?.isCurrent, other?.isCurrent, current?.createdAt]).toEqual([true, false, expect.any(Date)])
    expect(await user.endSession("unknown")).toBe(false)
    expect(await user.endSession(other?.id ?? "")).toBe(true)
    expect(await user.endOtherSessions()).toBe(1)
    expect((await user.listSessions()).map(({ id }) => id)).toEqual([current?.id])
  })

  it("signOutEverywhere ends all sessions of a user but the one to keep", async () => {
    const { user, stranger } = await openTracked(open)
    const [current] = await user.listSessions()
    expect(await stranger.signOutEverywhere(integrationUser.id, { except: current?.id ?? "" })).toBe(2)
    expect(await user.listSessions()).toHaveLength(1)
    expect(await user.signOutEverywhere(integrationUser.id)).toBe(1)
    expect(await user.listSessions()).toEqual([])
  })

  it("SESS-05: endOtherSessions is only for a user who signed in during the last ten minutes, endSession is not", async () => {
    using clock = fixedClock(new Date())
    const { user } = await openTracked(open)
    clock.advance({ minutes: 10 })
    const [current, other] = await user.listSessions()
    const refused = { type: "FreshnessRequired" }
    await expect(user.endOtherSessions()).rejects.toMatchObject(refused)
    expect(await user.listSessions()).toHaveLength(3)
    expect(await user.endSession(other?.id ?? "")).toBe(true)
    expect(await user.listSessions()).toHaveLength(2)
    expect(await user.endSession(current?.id ?? "")).toBe(true)
  })
}

function assertRefused(answer: object): asserts answer is Response {
  if (!("status" in answer)) throw new Error("The visitor counted as signed in")
}
