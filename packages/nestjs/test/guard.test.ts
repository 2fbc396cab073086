import { UseGuards } from "@nestjs/common"
import { APP_GUARD } from "@nestjs/core"
import { describe, expect, it } from "vitest"
import { AllowAnonymous, AuthGuard, AuthModule } from "../src/index.js"
import { ask, createApp, createSessionController, html, platforms, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

describe.each(platforms)("AuthGuard in $name", ({ createAdapter, wildcard }) => {
  const guarded = (config = testConfig()) =>
    createApp(createAdapter(), {
      auth: AuthModule.forRoot(config),
      controllers: [createSessionController(wildcard, [UseGuards(AuthGuard)])],
    })

  it("redirects a page load to the sign-in page, and back afterwards", async () => {
    const browser = await visit(await guarded())
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
    const response = await fetch(`${await serve(await guarded())}/private`, { method, headers })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ message: "Sign in to continue.", statusCode: 401 })
  })

  it.each<Record<string, string>>([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    const browser = await visit(await guarded())
    expect((await browser.fetch("/private", { headers })).status).toBe(401)
    const page = await browser.fetch("/private", { headers: { ...html, ...headers } })
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth/signin?callbackUrl=%2Fprivate"])
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private", { headers })).status).toBe(200)
  })

  it.each(["http://x%2fprivate/", "http://x%2f", "http://user@x/", "ftp://x/"])(
    "CONF-02: is not bypassed by the target %s while the sign-in page is open",
    async (target) => {
      const origin = await serve(await guarded(testConfig({ pages: { signIn: "/login" } })))
      expect([400, 404]).toContain((await ask(origin, target)).status) // Fastify has no route for some of them.
      expect((await ask(origin, "http://x/private")).status).toBe(401)
      expect((await ask(origin, "http://x/login")).status).toBe(200)
    },
  )

  it("never redirects back to another host", async () => {
    const { headers } = await ask(await serve(await guarded()), "//evil.test/x", html)
    expect(headers.location).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = await visit(await guarded(testConfig({ callbacks })))
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://app.test"] }])(
    "CONF-01: rejects every request when the session cannot be read (%j)",
    async (changes) => {
      const origin = await serve(await guarded(testConfig(changes)))
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await fetch(`${origin}/private`, { headers })
      expect([response.status, await response.json()]).toMatchObject([500, { statusCode: 500 }])
    },
  )

  it.each(["/login?from=guard", "http://app.test/login?from=guard"])(
    "lets requests for the host's own sign-in page %s through",
    async (signIn) => {
      const origin = await serve(await guarded(testConfig({ pages: { signIn } })))
      const headers = { host: "app.test", ...html }
      expect((await ask(origin, "/private", headers)).headers.location).toBe(`${signIn}&callbackUrl=%2Fprivate`)
      const page = await ask(origin, "/login?from=guard", headers)
      expect([page.status, JSON.parse(page.body)]).toEqual([200, { session: null }])
    },
  )

  it("covers the whole app but the routes that allow anonymous visitors", async () => {
    const app = await createApp(createAdapter(), {
      auth: AuthModule.forRoot(testConfig()),
      providers: [{ provide: APP_GUARD, useClass: AuthGuard }],
      controllers: [createSessionController("open", [AllowAnonymous()]), createSessionController("private")],
    })
    const browser = await visit(app)
    expect(await (await browser.fetch("/open")).json()).toEqual({ session: null })
    expect((await browser.fetch("/private")).status).toBe(401)
    await browser.signIn("credentials", right)
    for (const path of ["/open", "/private"]) {
      expect(await (await browser.fetch(path)).json()).toMatchObject({ session: { user: ada } })
    }
  })

  it("does not pass a request that AuthModule has not seen", async () => {
    class Empty {}
    const controllers = [createSessionController("private", [UseGuards(AuthGuard)])]
    const origin = await serve(await createApp(createAdapter(), { auth: { module: Empty }, controllers }))
    expect((await fetch(`${origin}/private`)).status).toBe(500)
  })

  it("renews the session", async () => {
    const browser = await visit(await guarded())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})

describe("AuthGuard", () => {
  it("does not pass messages without an HTTP request", async () => {
    const context = { getType: () => "ws", getHandler: () => AuthGuard, getClass: () => AuthGuard }
    // as: the guard calls no other method for such a message.
    const check = new AuthGuard().canActivate(context as unknown as Parameters<AuthGuard["canActivate"]>[0])
    await expect(check).rejects.toThrow('A message of the kind "ws" has no HTTP request')
  })
})
