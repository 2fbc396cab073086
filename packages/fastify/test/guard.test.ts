import { testNativeGuard } from "@latchkey/testkit/integration"
import createFastify from "fastify"
import { describe, expect, it } from "vitest"
import { type AuthPluginOptions, authPlugin } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { createApp, html, serve, statusOf, visit } from "./serve.js"

async function guarded(options: AuthPluginOptions = testConfig()) {
  const app = createFastify()
  app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.message))
  await app.register(authPlugin, options)
  app.all("/*", { preHandler: app.authenticate }, async (request) => ({ session: request.auth.session }))
  return app
}

const ask = async (headers: Record<string, string>, url = "/private", method: "GET" | "POST" = "GET") =>
  (await guarded()).inject({ url, method, headers: { host: "app.test", ...headers } })

describe("authenticate", () => {
  testNativeGuard(async (config) => ({ origin: await serve(await guarded(config)) }))

  it("redirects a page load to the sign-in page, and back afterwards", async () => {
    const response = await ask(html, "/private?tab=1&x=/")
    expect(response.statusCode).toBe(303)
    expect(response.headers.location).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F")
    const browser = await visit(await guarded())
    await browser.open("/private?tab=1")
    const landed = await browser.submit("form[action$='/callback/credentials']", right)
    expect(landed.url.href).toBe(`${browser.origin}/private?tab=1`)
    expect(JSON.parse(landed.text())).toMatchObject({ session: { user: ada } })
  })

  it("finds the sign-in page below the prefix", async () => {
    const app = await guarded({ ...testConfig(), prefix: "/api/auth" })
    const response = await app.inject({ url: "/private", headers: html })
    expect(response.headers.location).toBe("/api/auth/signin?callbackUrl=%2Fprivate")
  })

  it.each([
    ["accepting anything", "GET", { accept: "*/*" }],
    ["accepting JSON", "GET", { accept: "application/json" }],
    ["without an Accept header", "GET", {}],
    ["preferring JSON to HTML", "GET", { accept: "text/html;q=0.5, application/json" }],
    ["posting a form", "POST", html],
  ] as const)("answers a client %s with 401", async (_, method, headers) => {
    const response = await ask(headers, "/private", method)
    expect([response.statusCode, response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    expect((await ask(headers as Record<string, string>)).statusCode).toBe(401)
    expect((await ask({ ...html, ...headers })).statusCode).toBe(303)
  })

  it.each(["http://user@x/", "ftp://x/", "http:///private"])(
    "CONF-02: is not bypassed by the target %s while the home page is open",
    async (target) => {
      const app = await createApp(testConfig({ pages: { signIn: "/" } }))
      app.all("/*", { preHandler: app.authenticate }, async () => "private")
      const origin = await serve(app)
      expect(await statusOf(origin, target, {})).toBe(400)
      expect(await statusOf(origin, "http://x/private", {})).toBe(401)
      expect(await statusOf(origin, "http://x/", {})).toBe(200)
    },
  )

  it("never redirects back to another host", async () => {
    const response = await ask(html, "//evil.test/x")
    expect(response.headers.location).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = await visit(await guarded(testConfig({ callbacks })))
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: rejects every request when the session cannot be read (%j)",
    async (changes) => {
      const origin = await serve(await guarded(testConfig(changes)))
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await fetch(`${origin}/private`, { headers })
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("could not be read")])
    },
  )

  it.each(["/login?from=guard", "http://app.test/login?from=guard"])(
    "lets requests for the host's own sign-in page %s through",
    async (signIn) => {
      const app = await guarded(testConfig({ pages: { signIn } }))
      const headers = { host: "app.test", ...html }
      const response = await app.inject({ url: "/private", headers })
      expect(response.headers.location).toBe(`${signIn}&callbackUrl=%2Fprivate`)
      const page = await app.inject({ url: "/login?from=guard", headers })
      expect([page.statusCode, page.json()]).toEqual([200, { session: null }])
    },
  )

  it("throws for the built-in sign-in page and explains how to mount it", async () => {
    const app = createFastify()
    app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.message))
    await app.register(authPlugin, testConfig())
    app.addHook("preHandler", app.authenticate)
    app.get("/auth/signin", async () => "a page of the app in its place")
    const response = await app.inject({ url: "/auth/signin", headers: html })
    expect([response.statusCode, response.body]).toEqual([
      503,
      expect.stringContaining("Mount the endpoints before the guard"),
    ])
  })
})

describe("request.session", () => {
  async function createApp(before: boolean) {
    const app = createFastify()
    const own = { id: "of another plugin" }
    if (before) app.decorateRequest("session", { getter: () => own })
    await app.register(authPlugin, testConfig())
    if (!before) app.decorateRequest("session", { getter: () => own })
    app.get("/", { preHandler: app.authenticate }, async (request) => Reflect.get(request, "session"))
    return app
  }

  it("is set by authenticate", async () => {
    const app = createFastify()
    await app.register(authPlugin, testConfig())
    app.get("/", { preHandler: app.authenticate }, async (request) => Reflect.get(request, "session"))
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toMatchObject({ user: ada })
  })

  it.each([true, false])("stays the session of another plugin (registered before: %s)", async (before) => {
    const browser = await visit(await createApp(before))
    expect((await browser.fetch("/")).status).toBe(401)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toEqual({ id: "of another plugin" })
  })
})
