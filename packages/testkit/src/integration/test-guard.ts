import { nativeApps } from "@latchkey/core/native-apps"
import type { AuthConfig } from "@latchkey/core/types"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import { type Handler, overHttp } from "../browser/navigation.js"
import { describeBehavior } from "./behavior.js"
import { nativeClient, signInNativeApp } from "./native-app.js"
import { findSharedCaching, integrationConfig, integrationUser } from "./server-under-test.js"
import { testGuardOutage } from "./test-outage.js"

/** A running app with the service at `/auth`, whose guard covers all pages. They show the session or its user. */
export interface GuardedApp {
  readonly origin: string
  /** Default: over HTTP. */
  readonly handler?: Handler | undefined
}

/** The app, with the default handler filled in. */
interface OpenedApp {
  readonly origin: string
  readonly handler: Handler
}

/** A guard before all pages of an app. */
export interface GuardUnderTest {
  /**
   * Starts an app, which is closed after the test. The configuration is frozen. Before the guard, it sets the headers of
   * `publicCaching`, if the framework lets apps do so. Returns a text: its origin, over HTTP.
   */
  start(config: AuthConfig): Promise<GuardedApp | string>
  /** The body for visitors without a session. Default: `{ message: "Sign in to continue." }`. */
  readonly refusal?: object | undefined
  /** The response when the session cannot be read: a status, and a part of the text. */
  readonly failure: readonly [status: number, text: string]
  /** Starts an app whose guard comes before the endpoints, if the framework lets apps write that. */
  startBeforeEndpoints?: ((config: AuthConfig) => Promise<GuardedApp | string>) | undefined
  /** Whether the app's own sign-in page at `/login`, which shows the session too, stays open. Default: true. */
  readonly opensSignInPage?: boolean | undefined
}

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const right = { username: integrationUser.username, password: integrationUser.password }

/** Registers the tests of a guard for requests of a server. */
export function testGuard(guard: GuardUnderTest): void {
  const { failure, refusal = { message: "Sign in to continue." } } = guard
  const open = (changes: Partial<AuthConfig> = {}) => openGuarded(guard.start, changes)
  const visit = async (changes?: Partial<AuthConfig>): Promise<Browser> =>
    createBrowser({ ...(await open(changes)), basePath: "/auth" })

  testNativeGuard(async (config) => open(config))
  testSignInPage(guard)

  describeBehavior("guard", () => {
    testGuardBypasses(visit)
    testGuardOutage(open)

    it("redirects a page load to the sign-in page, and back afterwards", async () => {
      const browser = await visit()
      const response = await browser.fetch("/private?tab=1&x=2", { headers: html })
      expect(response.status).toBe(303)
      expect(findSignInPage(response, browser.origin)).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D2")
      expect(findSharedCaching(response.headers)).toEqual([])
      await browser.open("/private?tab=1")
      const landed = await browser.submit("form[action$='/callback/credentials']", right)
      expect(landed.url.href).toBe(`${browser.origin}/private?tab=1`)
      expect(landed.text()).toContain(integrationUser.email)
    })

    it.each([
      ["accepting anything", "GET", { accept: "*/*" }],
      ["accepting JSON", "GET", { accept: "application/json" }],
      ["preferring JSON to HTML", "GET", { accept: "text/html;q=0.5, application/json" }],
      ["without an Accept header", "GET", {}],
      ["posting a form", "POST", html],
    ] as const)("answers a client %s with 401", async (_, method, accept) => {
      const { origin, handler } = await open()
      const headers = { ...accept, ...(method === "POST" && { origin }) }
      const response = await handler(new Request(`${origin}/private`, { method, headers }))
      expect([response.status, await response.json()]).toEqual([401, refusal])
      expect(findSharedCaching(response.headers)).toEqual([])
    })

    it("never redirects back to another host", async () => {
      const { origin, handler } = await open()
      const response = await handler(new Request(`${origin}//evil.test/x`, { headers: html }))
      // An app with a table of routes has no page there.
      if (response.status === 404) expect(response.headers.get("location")).toBeNull()
      else expect(findSignInPage(response, origin)).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
    })

    it("rejects a session without a user", async () => {
      const browser = await visit({ callbacks: { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) } })
      await browser.signIn("credentials", right)
      expect((await browser.fetch("/private")).status).toBe(401)
    })

    it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://elsewhere.test"] }])(
      "CONF-01: rejects every request when the session cannot be read (%j)",
      async (changes) => {
        const { origin, handler } = await open(changes)
        for (const cookie of ["", "authjs.session-token=x; __Secure-authjs.session-token=x"]) {
          const headers = { ...html, ...(cookie && { cookie }) }
          const response = await handler(new Request(`${origin}/private`, { headers }))
          const [status, text] = failure
          expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)])
        }
      },
    )

    it("renews the session", async () => {
      const browser = await visit()
      await browser.signIn("credentials", right)
      const response = await browser.fetch("/private")
      const cookies = response.headers.getSetCookie()
      expect(cookies).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/i)])
    })
  })
}

async function openGuarded(start: GuardUnderTest["start"], changes: Partial<AuthConfig> = {}): Promise<OpenedApp> {
  const started = await start(Object.freeze({ ...integrationConfig(), ...changes }))
  const { origin, handler = overHttp } = typeof started === "string" ? { origin: started } : started
  return { origin, handler }
}

function testSignInPage({ start, startBeforeEndpoints, failure, opensSignInPage = true }: GuardUnderTest): void {
  describeBehavior("guard", () => {
    it.each(["/login?from=guard", "http://app.test/login?from=guard"])(
      opensSignInPage ? "lets requests for the app's own sign-in page %s through" : "fails for the sign-in page %s",
      async (signIn) => {
        const { origin, handler } = await openGuarded(start, { pages: { signIn } })
        const headers = { host: "app.test", ...html }
        const refused = await handler(new Request(`${origin}/private`, { headers }))
        expect(refused.headers.get("location")).toBe(`${signIn}&callbackUrl=%2Fprivate`)
        const page = await handler(new Request(`${origin}/login?from=guard`, { headers }))
        const answer = opensSignInPage ? [200, "null"] : [failure[0], "itself"]
        expect([page.status, await page.text()]).toEqual([answer[0], expect.stringContaining(String(answer[1]))])
      },
    )

    if (startBeforeEndpoints) {
      it("throws for the built-in sign-in page, and explains how to mount it", async () => {
        const { origin, handler } = await openGuarded(startBeforeEndpoints)
        const response = await handler(new Request(`${origin}/auth/signin`, { headers: html }))
        expect([response.status, await response.text()]).toEqual([
          failure[0],
          expect.stringContaining("Mount the endpoints before the guard"),
        ])
      })
    }
  })
}

/** Some frameworks send absolute addresses. */
function findSignInPage({ headers }: Response, origin: string): string {
  return new URL(headers.get("location") ?? "none", origin).href.replace(origin, "")
}

function testGuardBypasses(visit: () => Promise<Browser>): void {
  it.each<Record<string, string>>([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "1" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-middleware-subrequest": "src/middleware", "x-middleware-rewrite": "/auth/signin", "x-middleware-next": "1" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
    { "x-remix-reload-document": "true", "x-react-router-prerender-data": "x", "x-react-router-spa-mode": "yes" },
    { "x-tsr-redirect": "1", "x-tss-shell": "true" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    const browser = await visit()
    expect((await browser.fetch("/private", { headers })).status).toBe(401)
    const page = await browser.fetch("/private", { headers: { ...html, ...headers } })
    expect(page.status).toBe(303)
    expect(findSignInPage(page, browser.origin)).toBe("/auth/signin?callbackUrl=%2Fprivate")
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private", { headers })).status).toBe(200)
  })
}

/**
 * Registers the test of a guard for native apps.
 * @param open Opens an app with the service at `/auth`.
 */
export function testNativeGuard(open: (config: AuthConfig) => Promise<GuardedApp>): void {
  describeBehavior("guard", () => {
    it("NAT-23: knows a native app by its token, and tells one without how to sign in", async () => {
      const { id, name, email } = integrationUser
      const adapter = memoryAdapter()
      await adapter.createUser({ id, name, email, emailVerified: null })
      const native = nativeApps({ clients: [nativeClient] })
      const { origin, handler = overHttp } = await open({
        ...integrationConfig(),
        basePath: "/auth",
        adapter,
        nativeApps: native,
      })
      const browser = createBrowser({ handler, origin, basePath: "/auth" })
      const ask = async (headers: Readonly<Record<string, string>>) =>
        handler(new Request(`${origin}/private`, { headers }))
      await browser.signIn("credentials", right)
      const token = await signInNativeApp(browser, { handler, basePath: "/auth" })
      const answer = await ask({ authorization: `Bearer ${token}` })
      expect([answer.status, answer.headers.getSetCookie(), await answer.text()]).toEqual([
        200,
        [],
        expect.stringContaining(email),
      ])
      const forged = await ask({ authorization: `Bearer ${token}x` })
      expect([forged.status, forged.headers.get("www-authenticate")]).toEqual([401, 'Bearer error="invalid_token"'])
      expect(forged.headers.get("cache-control")).toMatch(/\bno-store\b/)
      const stranger = await ask({})
      expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    })
  })
}
