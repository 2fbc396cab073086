import { describe, expect, it } from "vitest"
import { ElysiaAuth, requireAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { ask, createApp, html, serve, visit } from "./serve.js"

describe.each([true, false])("requireAuth (aot: %s)", (aot) => {
  function guarded(config = testConfig()) {
    return createApp({ aot })
      .onError(({ error, status }) => status(503, error instanceof Error ? error.message : "unknown"))
      .use(ElysiaAuth(config))
      .all("/*", ({ auth }) => ({ session: auth.session }), { beforeHandle: requireAuth })
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

  it.each(["/private/../login", "/private/%2e%2e/login", "http://x/private/login", "http://x%2fprivate/login"])(
    "CONF-02: is not bypassed by the target %s while the sign-in page is open",
    async (target) => {
      const app = createApp({ aot })
        .use(ElysiaAuth(testConfig({ pages: { signIn: "/login" } })))
        .get("/login", () => "the sign-in page", { beforeHandle: requireAuth })
        .get("/private/*", () => "private", { beforeHandle: requireAuth })
      const origin = await serve(app)
      const { body } = await ask(origin, target)
      expect(body).not.toBe("private")
      expect((await ask(origin, "/login")).body).toBe("the sign-in page")
    },
  )

  it("never redirects back to another host", async () => {
    const { headers } = await ask(await serve(guarded()), "//evil.test/x", html)
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

  it("throws without ElysiaAuth, and does not pass", async () => {
    const app = createApp({ aot })
      .onError(({ error, status }) => status(503, error instanceof Error ? error.message : "unknown"))
      .get("/private", () => "private", { beforeHandle: requireAuth })
    const response = await fetch(`${await serve(app)}/private`)
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Call app.use(ElysiaAuth(config))"),
    ])
  })

  it("guards all routes of a scope, and renews the session", async () => {
    const app = createApp({ aot })
      .use(ElysiaAuth(testConfig()))
      .guard({ beforeHandle: requireAuth }, (scope) => scope.get("/private", () => "private"))
    const browser = await visit(app)
    expect((await browser.fetch("/private")).status).toBe(401)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/private")
    expect(await response.text()).toBe("private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
