import type Koa from "koa"
import { describe, expect, it } from "vitest"
import { KoaAuth, requireAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { koas } from "./koas.js"
import { ask, html, serve, visit } from "./serve.js"

/** Answers errors of the guard with their message. */
const showErrors: Koa.Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    ctx.status = 503
    ctx.body = error instanceof Error ? error.message : String(error)
  }
}

const sendSession: Koa.Middleware = (ctx) => {
  ctx.body = { session: ctx.state["session"] }
}

describe.each(koas)("requireAuth in $name", ({ Koa }) => {
  function guarded(config = testConfig()) {
    return new Koa().use(showErrors).use(KoaAuth(config)).use(requireAuth()).use(sendSession)
  }

  it("redirects a page load to the sign-in page, and back afterwards", async () => {
    const browser = await visit(guarded())
    const response = await browser.fetch("/private?tab=1&x=/", { headers: html })
    expect(response.status).toBe(303)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F")
    await browser.open("/private?tab=1")
    const landed = await browser.submit("form[action$='/callback/credentials']", right)
    expect(landed.url.href).toBe(`${browser.origin}/private?tab=1`)
    expect(JSON.parse(landed.text())).toMatchObject({ session: { user: ada } })
  })

  it.each([
    ["accepting anything", "GET", { accept: "*/*" }],
    ["accepting JSON", "GET", { accept: "application/json" }],
    ["preferring JSON to HTML", "GET", { accept: "text/html;q=0.5, application/json" }],
    ["posting a form", "POST", html],
  ] as const)("answers a client %s with 401", async (_, method, headers) => {
    const response = await fetch(`${await serve(guarded())}/private`, { method, headers })
    expect([response.status, await response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each<Record<string, string>>([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    const browser = await visit(guarded())
    expect((await browser.fetch("/private", { headers })).status).toBe(401)
    const page = await browser.fetch("/private", { headers: { ...html, ...headers } })
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth/signin?callbackUrl=%2Fprivate"])
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private", { headers })).status).toBe(200)
  })

  it.each(["http://x%2fprivate/", "http://x%2f", "http://user@x/", "ftp://x/"])(
    "CONF-02: is not bypassed by the target %s while the home page is open",
    async (target) => {
      const config = testConfig({ pages: { signIn: "/" } })
      const origin = await serve(new Koa().use(KoaAuth(config)).use(requireAuth()).use(sendSession))
      expect((await ask(origin, target)).status).toBe(400)
      expect((await ask(origin, "http://x/private")).status).toBe(401)
      expect((await ask(origin, "http://x/")).status).toBe(200)
    },
  )

  it("CONF-02: judges the path that the client sent, not one that a middleware put in its place", async () => {
    const app = new Koa().use(KoaAuth(testConfig({ pages: { signIn: "/login" } })))
    app.use(async (ctx, next) => {
      ctx.url = "/login"
      await next()
    })
    const origin = await serve(app.use(requireAuth()).use(sendSession))
    expect((await ask(origin, "/private")).status).toBe(401)
    expect((await ask(origin, "/login")).status).toBe(200)
  })

  it("never redirects back to another host", async () => {
    const origin = await serve(guarded())
    const { headers } = await ask(origin, "//evil.test/x", html)
    expect(headers.location).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = await visit(guarded(testConfig({ callbacks })))
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://app.test"] }])(
    "CONF-01: rejects every request when the session cannot be read (%j)",
    async (changes) => {
      const origin = await serve(guarded(testConfig(changes)))
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await fetch(`${origin}/private`, { headers })
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("could not be read")])
    },
  )

  it.each(["/login?from=guard", "http://app.test/login?from=guard"])(
    "lets requests for the host's own sign-in page %s through",
    async (signIn) => {
      const origin = await serve(guarded(testConfig({ pages: { signIn } })))
      const headers = { host: "app.test", ...html }
      expect((await ask(origin, "/private", headers)).headers.location).toBe(`${signIn}&callbackUrl=%2Fprivate`)
      const page = await ask(origin, "/login?from=guard", headers)
      expect([page.status, JSON.parse(page.body)]).toEqual([200, { session: null }])
    },
  )

  it("throws for the built-in sign-in page and explains how to mount it", async () => {
    const app = new Koa().use(showErrors).use(KoaAuth(testConfig()))
    app.use(async (ctx, next) => {
      ctx.originalUrl = "/auth/signin"
      await next()
    })
    const response = await fetch(`${await serve(app.use(requireAuth()))}/private`, { headers: html })
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount the endpoints before the guard"),
    ])
  })

  it("throws without KoaAuth, and does not pass", async () => {
    const origin = await serve(new Koa().use(showErrors).use(requireAuth()).use(sendSession))
    const response = await fetch(`${origin}/private`)
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount KoaAuth(config) for all paths"),
    ])
  })

  it("renews the session", async () => {
    const browser = await visit(guarded())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
