import { AuthError } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import { type AstroAuthConfig, requireAuth, type UserAuth } from "../src/index.js"
import { ada, createApp, createContext, html, origin, right, testConfig, visit } from "./app.js"

/** An app whose every page shows the user. */
function guarded(config: AstroAuthConfig = testConfig(), ...routes: readonly string[]) {
  const show = async (auth: UserAuth) => Response.json((await auth.getSession())?.user ?? null)
  const pages = { "/private": show, "/private/[id]": show, "/privateer": show, "/login": show, "/": show }
  return createApp(config, pages, requireAuth(...routes))
}

const get = (headers: Record<string, string>, path = "/private") => new Request(`${origin}${path}`, { headers })

describe("requireAuth", () => {
  it("redirects a page load to the sign-in page, and back afterwards", async () => {
    const browser = visit(guarded())
    const response = await browser.fetch("/private?tab=1&x=/", { headers: html })
    expect([response.status, response.headers.get("location"), response.headers.get("cache-control")]).toEqual([
      ...[303, "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F", "private, no-store"],
    ])
    const page = await browser.open("/private?tab=1")
    const landed = await browser.submit(page.form("form[action$='/callback/credentials']"), right)
    expect([landed.url.href, JSON.parse(landed.text())]).toEqual([`${origin}/private?tab=1`, ada])
  })

  it.each([
    ["accepting anything", { accept: "*/*" }, "GET"],
    ["accepting JSON", { accept: "application/json" }, "GET"],
    ["posting a form", html, "POST"],
  ])("answers a client %s with 401", async (_, headers, method) => {
    const response = await guarded()(new Request(`${origin}/private`, { method, headers }))
    expect([response.status, await response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-forwarded-uri": "/auth/signin", "x-astro-path": "/auth/signin" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    expect((await guarded()(get(headers))).status).toBe(401)
    expect((await guarded()(get({ ...html, ...headers }))).status).toBe(303)
  })

  it.each(["/private", "/private/", "private"])(
    "CONF-02: covers the route %j and those below it by the pattern that Astro chose, in every spelling",
    async (route) => {
      const app = guarded(testConfig(), route)
      const status = async (path: string, routePattern: string) => (await app(get({}, path), { routePattern })).status
      expect(await status("/%70rivate", "/private")).toBe(401)
      expect(await status("//private//7", "/private/[id]")).toBe(401)
      expect(await status("/privateer", "/privateer")).toBe(200)
      expect(await status("/", "/")).toBe(200)
    },
  )

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: passes no request when the session cannot be read (%j)",
    async (changes) => {
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      await expect(guarded(testConfig(changes))(get(headers))).rejects.toBeInstanceOf(AuthError)
    },
  )

  it("CONF-01: refuses to guard a prerendered page, which is sent to everyone", async () => {
    await expect(guarded()(get(html), { isPrerendered: true })).rejects.toThrow(/prerender = false/)
  })

  it("CONF-01: refuses to require a recent proof on a prerendered page", async () => {
    const pay = async (auth: UserAuth) => Response.json(await auth.requireFresh())
    const app = createApp(testConfig(), { "/private": pay })
    await expect(app(get(html), { isPrerendered: true })).rejects.toThrow(/prerender = false/)
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = visit(guarded(testConfig({ callbacks })))
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private")).status).toBe(401)
  })

  it("lets requests for the app's own sign-in page through", async () => {
    const app = guarded(testConfig({ pages: { signIn: "/login" } }))
    expect((await app(get(html))).headers.get("location")).toBe("/login?callbackUrl=%2Fprivate")
    expect((await app(get(html, "/login"))).status).toBe(200)
  })

  it("explains what is missing if the integration is not installed", async () => {
    const context = createContext(get(html))
    await expect(requireAuth()(context, async () => new Response("open"))).rejects.toThrow(/Add latchkey\(\)/)
  })
})
