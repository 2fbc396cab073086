import { testNativeGuard } from "@latchkey/testkit/integration"
import { type Context, Hono } from "hono"
import { describe, expect, it } from "vitest"
import { authHandler, HonoAuth, initAuthConfig, verifyAuth } from "../src/index.js"
import { html, visit } from "./browser.js"
import { ada, right, testConfig } from "./config.js"

const sendUser = (c: Context) => c.json(c.get("authUser") ?? null)
const fail = (error: Error, c: Context) => c.text(error.message, 503)

function guarded(config = testConfig()) {
  return new Hono().use(HonoAuth(config)).use(verifyAuth()).all("*", sendUser).onError(fail)
}

describe("verifyAuth", () => {
  testNativeGuard(async (config) => {
    const app = guarded(config)
    return { origin: "http://app.test", handler: async (request) => app.fetch(request) }
  })

  it("redirects a page load to the sign-in page, and back afterwards", async () => {
    const browser = visit(guarded())
    const response = await browser.fetch("/private?tab=1&x=/", { headers: html })
    expect(response.status).toBe(303)
    expect(response.headers.get("location")).toBe(
      "http://app.test/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F",
    )
    const page = await browser.open("/private?tab=1")
    const landed = await browser.submit(page.form("form[action$='/callback/credentials']"), right)
    expect(landed.url.href).toBe("http://app.test/private?tab=1")
    expect(JSON.parse(landed.text())).toMatchObject({ session: { user: ada }, user: ada })
  })

  it.each([
    ["accepting anything", "GET", { accept: "*/*" }],
    ["accepting JSON", "GET", { accept: "application/json" }],
    ["preferring JSON to HTML", "GET", { accept: "text/html;q=0.4,application/*;q=0.5" }],
    ["without an Accept header", "GET", {}],
    ["posting a form", "POST", html],
  ])("answers a client %s with 401", async (_, method, headers) => {
    const response = await guarded().request("/private", { method, headers })
    expect([response.status, await response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    expect((await guarded().request("/private", { headers })).status).toBe(401)
    const page = await guarded().request("/private", { headers: { ...html, ...headers } })
    expect(page.status).toBe(303)
  })

  it("never redirects back to another host", async () => {
    const response = await guarded().request("http://app.test//evil.test/x", { headers: html })
    expect(response.headers.get("location")).toBe("http://app.test/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = visit(guarded(testConfig({ callbacks })))
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: rejects every request when the session cannot be read (%j)",
    async (changes) => {
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await guarded(testConfig(changes)).request("http://app.test/private", { headers })
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("could not be read")])
    },
  )

  it.each(["/login?from=guard", "http://app.test/login?from=guard"])(
    "lets requests for the host's own sign-in page %s through",
    async (signIn) => {
      const app = guarded(testConfig({ pages: { signIn } }))
      const response = await app.request("http://app.test/private", { headers: html })
      expect(response.headers.get("location")).toBe(`${signIn}&callbackUrl=%2Fprivate`)
      const page = await app.request("http://app.test/login?from=guard", { headers: html })
      expect([page.status, await page.json()]).toEqual([200, null])
    },
  )

  it("throws for the built-in sign-in page and explains how to mount it", async () => {
    const app = new Hono().use(initAuthConfig(testConfig())).use(verifyAuth()).use("/auth/*", authHandler())
    const response = await app.onError(fail).request("/auth/signin", { headers: html })
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount the endpoints before the guard"),
    ])
  })

  it("explains how to mount initAuthConfig if it is missing", async () => {
    const response = await new Hono().use(verifyAuth()).onError(fail).request("/private")
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("initAuthConfig(config)")])
  })
})
