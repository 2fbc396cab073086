import type { AuthConfig } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import { type Browser, createBrowser } from "../browser/browser.js"
import { describeBehavior } from "./behavior.js"
import type { FormActions, FormRoute, OpenFormApp } from "./form-app.js"
import { integrationConfig, integrationUser } from "./server-under-test.js"
import { testProviderSignOut } from "./test-provider-sign-out.js"

/** How a framework differs from others. */
export interface FormActionsOptions {
  /** Whether `signIn` and `signOut` refuse a client that is not a browser, which sends no `Origin`. Default: true. */
  readonly needsOrigin?: boolean | undefined
  /**
   * Whether the framework tells its actions the method. If not, a link is known by its lack of an `Origin`, and may lead to
   * the page with the form. Default: true.
   */
  readonly knowsMethod?: boolean | undefined
  /** Whether the response adds the renewed cookie behind those that the app has set. Default: true. */
  readonly renewsLast?: boolean | undefined
  /** Default: true. */
  readonly hasUpdateSession?: boolean | undefined
}

/**
 * Returns the URL to which an action has redirected.
 * @throws if it is a page with an error, which has the type of that error
 */
export function toTarget(url: string): string {
  const error = new URL(url, "http://app.test").searchParams.get("error")
  if (error !== null) throw Object.assign(new Error(`The action led to ${url}`), { type: error })
  return url
}

const right = { username: integrationUser.username, password: integrationUser.password }
const rightForm = loginForm({ redirectTo: "/private?a=1" })
const signIn = (auth: FormActions) => auth.signIn(rightForm)
const actions = [signIn, (auth: FormActions) => auth.signOut()]

/** Registers the tests of the functions that answer forms of the app. */
export function testFormActions(open: OpenFormApp, options: FormActionsOptions = {}): void {
  const { renewsLast = true, hasUpdateSession = true } = options
  const register = () => {
    testForeignForms(open, options)

    it("refuse a wrong password", async () => {
      const outcome = await submit(open, (auth) => auth.signIn(loginForm({ password: "wrong" })))
      expect(outcome).toMatchObject({ error: { type: "CredentialsSignin" }, cookies: [] })
    })

    it("set the session cookie on the response, which no cache may store, and lead to the target", async () => {
      const { url, origin, cookies, caching } = await submit(open, signIn)
      expect([url, caching]).toEqual([`${origin}/private?a=1`, expect.stringContaining("no-store")])
      expect(cookies.join()).toMatch(/authjs\.session-token=[^;]+;.*HttpOnly/)
    })

    it("never lead to another site", async () => {
      const { url, origin } = await submit(open, (auth) => auth.signIn(loginForm({ redirectTo: "https://evil.test/" })))
      expect(url).toBe(origin)
    })

    it("SESS-04: sign out although the app has read and renewed the session before", async () => {
      const browser = await visit(open, async (auth) => {
        const before = await auth.getSession()
        await auth.signOut()
        return Response.json([before?.user?.name, await auth.getSession()])
      })
      const response = await post(browser)
      expect(await response.json()).toEqual([integrationUser.name, null])
      const lines = response.headers.getSetCookie().filter(isSession)
      expect(lines.at(-1)).toContain("Max-Age=0")
      // Browsers ignore it over http.
      const isSecure = browser.page?.url.protocol === "https:"
      expect(response.headers.get("clear-site-data")).toBe(isSecure ? '"cache"' : null)
      expect(await browser.session()).toBeNull()
    })

    if (renewsLast) testOwnCookie(open)
    if (hasUpdateSession) testUpdateSession(open)
  }
  describeBehavior("forms of the app", register, "signIn, signOut and updateSession for a form of the app")

  describe("signOut with atProvider", () => {
    testProviderSignOut(async ({ config, cookie, atProvider }) => {
      const form = toForm({ redirectTo: "/bye", ...(atProvider !== undefined && { atProvider: String(atProvider) }) })
      const { url } = await submit(open, (auth) => auth.signOut(form), { config, cookie })
      return url ?? null
    })
  })
}

function testForeignForms(open: OpenFormApp, { needsOrigin = true, knowsMethod = true }: FormActionsOptions): void {
  it.each([
    ["of another site", { origin: "https://evil.test" }],
    ["of a sandboxed frame", { origin: "null" }],
    ["of another site that claims to be same-origin", { origin: "https://evil.test", "sec-fetch-site": "same-origin" }],
  ])("CSRF-10, CSRF-11: reject a form %s", async (_, headers: Record<string, string>) => {
    for (const run of actions) expect(await submit(open, run, { headers })).toMatchObject(refused)
  })

  if (needsOrigin) {
    it("CSRF-10, CSRF-11: reject a form without an origin", async () => {
      for (const run of actions) expect(await submit(open, run, { headers: {} })).toMatchObject(refused)
    })
  }

  it.each(["GET", "HEAD"])("CSRF-10: reject a %s request, which any link causes", async (method) => {
    for (const run of actions) {
      const { url, ...outcome } = await submit(open, run, { method, ...(!knowsMethod && { headers: {} }) })
      if (url === undefined) expect({ url, ...outcome }).toMatchObject(refused)
      else
        expect([knowsMethod, new URL(url, outcome.origin).pathname]).toEqual([false, expect.stringMatching(formPage)])
      expect(outcome.cookies).toEqual([])
    }
  })
}

function testOwnCookie(open: OpenFormApp): void {
  it("SESS-04: leave no renewed session behind the app's own cookie that ends it", async () => {
    const end = "authjs.session-token=; Path=/; Max-Age=0"
    const browser = await visit(open, async (auth) => {
      await auth.getSession()
      return new Response("ended", { headers: { "set-cookie": end } })
    })
    expect((await post(browser)).headers.getSetCookie().at(-1)).toBe(end)
    expect(await browser.session()).toBeNull()
  })
}

function testUpdateSession(open: OpenFormApp): void {
  it("updateSession passes data to the callbacks and saves the new session", async () => {
    const rename: FormRoute = async (auth) =>
      Response.json([await auth.updateSession({ name: "Countess" }), await auth.getSession()])
    const countess = { user: { name: "Countess" } }
    const browser = await visit(open, rename, {
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, ...Object(session) } : token),
      },
    })
    expect(await (await post(browser)).json()).toMatchObject([countess, countess])
    expect((await browser.session())?.user?.name).toBe("Countess")
  })

  it("updateSession returns null without a session", async () => {
    const { origin, handler } = await open(testConfig(), async (auth) =>
      Response.json([await auth.updateSession({ name: "Mallory" })]),
    )
    const response = await handler(new Request(`${origin}/form`, { method: "POST", headers: { origin } }))
    expect(await response.json()).toEqual([null])
  })
}

const isSession = (line: string): boolean => line.startsWith("authjs.session-token=")

const formPage = /^\/auth\/(?:signin|signout)$/

const refused = { url: undefined, error: { type: "MissingCSRF" }, cookies: [] }

interface Submission {
  readonly config?: AuthConfig
  readonly method?: string
  /** Default: the `Origin` of the app, with the cookie. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cookie?: string
}

/** Calls an action for a form. @returns what its response sets, and the result or the error */
async function submit(
  open: OpenFormApp,
  run: (auth: FormActions) => Promise<string>,
  { config = testConfig(), method = "POST", headers, cookie = "" }: Submission = {},
) {
  let url: string | undefined
  let error: unknown
  const { origin, handler } = await open(config, async (auth) => {
    try {
      url = await run(auth)
    } catch (thrown) {
      error = thrown
    }
    return new Response("done")
  })
  const response = await handler(new Request(`${origin}/form`, { method, headers: headers ?? { origin, cookie } }))
  return {
    origin,
    url,
    error,
    cookies: response.headers.getSetCookie().filter(isSession),
    caching: response.headers.get("cache-control"),
  }
}

/** Opens an app in the browser of a signed-in user. */
async function visit(open: OpenFormApp, route: FormRoute, changes?: Partial<AuthConfig>): Promise<Browser> {
  const { origin, handler } = await open(testConfig(changes), route)
  const browser = createBrowser({ origin, handler, basePath: "/auth" })
  await browser.signIn("credentials", right)
  return browser
}

function post(browser: Browser): Promise<Response> {
  return browser.fetch("/form", { method: "POST", body: new URLSearchParams() })
}

function testConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  return Object.freeze({ ...integrationConfig(), basePath: "/auth", ...changes })
}

function loginForm(changes: Readonly<Record<string, string>>): FormData {
  return toForm({ providerId: "credentials", ...right, ...changes })
}

function toForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  return form
}
