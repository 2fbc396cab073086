import { nativeApps } from "@latchkey/core/native-apps"
import { type FreshSession, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { fixedClock } from "../time/fixed-clock.js"
import type { OpenApp } from "./form-app.js"
import { nativeClient, signInNativeApp } from "./native-app.js"
import { integrationConfig, integrationUser } from "./server-under-test.js"
import { type OpenedApp, openApp, page, signedIn, toCookieHeader } from "./visitors.js"

const options = { maxAgeSeconds: 600, factors: 1 } as const
const challenge = 'Latchkey error="insufficient_user_authentication", max_age=600'

/** An app with a user whose sign-ins are recorded. */
async function openFresh(open: OpenApp, changes: Partial<AuthConfig> = {}): Promise<OpenedApp> {
  const { id, name, email } = integrationUser
  const adapter = memoryAdapter()
  await adapter.createUser({ id, name, email, emailVerified: null })
  const session = { strategy: "jwt", track: trackSessions() } as const
  return openApp(open, { ...integrationConfig(), basePath: "/auth", adapter, session, ...changes })
}

/** Registers the tests of `requireFresh`. */
export function testFreshness(open: OpenApp, { knowsPage = true }: { readonly knowsPage?: boolean | undefined }): void {
  it("requireFresh requires a recent proof, and answers clients that have none", async () => {
    using clock = fixedClock(new Date())
    const app = await openFresh(open)
    const user = app.visitor({ cookie: toCookieHeader(await signedIn(app)) })
    expect(await user.requireFresh(options)).toMatchObject({
      user: { email: integrationUser.email },
      auth: { time: Math.floor(Date.now() / 1000), methods: ["pwd"], level: 1 },
    })
    const secondFactor = await user.requireFresh({ ...options, factors: 2 })
    expect(await readPath(secondFactor, "FreshnessRequired")).toBe("/auth/signin")
    clock.advance({ minutes: 10 })
    expect(await readPath(await user.requireFresh(options), "FreshnessRequired")).toBe("/auth/signin")
    expect(await readPath(await app.visitor({}).requireFresh(options), "SignedOut")).toBe("/auth/signin")
  })

  it("requireFresh redirects a page to the sign-in page, and from there back to the app", async () => {
    using clock = fixedClock(new Date())
    const app = await openFresh(open)
    const cookie = toCookieHeader(await signedIn(app))
    expect(await app.visitor({ cookie, accept: page }).requireFresh(options)).toMatchObject({
      user: { email: integrationUser.email },
    })
    clock.advance({ minutes: 10 })
    for (const sent of [{ cookie }, {}]) {
      const visitor = app.visitor({ ...sent, accept: page, query: "?amount=5" })
      const { pathname, searchParams } = readRedirect(await visitor.requireFresh(options))
      const back = knowsPage ? `${app.origin}/form?amount=5` : `${app.origin}/`
      expect([pathname, new URL(searchParams.get("callbackUrl") ?? "").href]).toEqual(["/auth/signin", back])
    }
  })

  it("requireFresh returns to the page that has the form, unless it is one of another site", async () => {
    const app = await openFresh(open)
    const findReturnPage = async (referer: string) => {
      const visitor = app.visitor({ method: "POST", accept: page, referer })
      return readRedirect(await visitor.requireFresh(options)).searchParams.get("callbackUrl")
    }
    const cart = `${app.origin}/cart?id=1`
    expect(await findReturnPage(cart)).toBe(cart)
    expect(await findReturnPage("https://evil.test/cart")).toBe(app.origin)
  })

  testNativeToken(open)
}

function testNativeToken(open: OpenApp): void {
  it("NAT-23: auth knows the user of a native app by its token, and sets no cookie", async () => {
    const app = await openFresh(open, { nativeApps: nativeApps({ clients: [nativeClient] }) })
    const browser = await signedIn(app)
    const token = await signInNativeApp(browser, { handler: app.handler, basePath: "/auth" })
    const native = app.visitor({ authorization: `Bearer ${token}` })
    expect((await native.getSession())?.user?.email).toBe(integrationUser.email)
    expect((await native.listSessions()).map(({ label }) => label)).toEqual([nativeClient.name, null])
    expect(await native.requireFresh({ maxAgeSeconds: 600 })).toMatchObject({ user: { email: integrationUser.email } })
    expect(native.setCookies().filter((line) => line.includes("session-token"))).toEqual([])
    const forged = app.visitor({ cookie: toCookieHeader(browser), authorization: `Bearer ${token}x` })
    expect(await forged.listSessions()).toEqual([])
    expect(await readPath(await forged.requireFresh({ maxAgeSeconds: 600 }), "SignedOut")).toBe("/auth/signin")
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
