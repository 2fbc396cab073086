import { testNativeGuard } from "@latchkey/testkit/integration"
import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { ExpressAuth, requireAuth } from "../src/index.js"
import { createBrowser } from "./browser.js"
import { ada, right, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve, statusOf } from "./serve.js"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const sendSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(503).send(error.name)

describe.each(expresses)("requireAuth in $name", ({ express }) => {
  function guarded(config = testConfig()) {
    const app = express().use("/auth", ExpressAuth(config)).use(requireAuth(config))
    return app.all(/.*/, sendSession).use(fail)
  }

  testNativeGuard(async (config) => ({ origin: await serve(guarded(config)) }))

  it("redirects a page load to the sign-in page with the way back", async () => {
    const browser = createBrowser(await serve(guarded()))
    const response = await browser.get("/private?tab=1&x=/", html)
    expect(response.status).toBe(303)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F")
  })

  it.each([
    ["accepting anything", { accept: "*/*" }],
    ["accepting JSON", { accept: "application/json" }],
  ])("answers a client %s with 401", async (_, headers) => {
    const browser = createBrowser(await serve(guarded()))
    expect((await browser.get("/private", headers)).status).toBe(401)
  })

  it("answers a form with 401", async () => {
    const origin = await serve(guarded())
    expect((await fetch(`${origin}/private`, { method: "POST", headers: html })).status).toBe(401)
  })

  it.each([
    { "x-original-url": "/auth/signin" },
    { "x-rewrite-url": "/auth/signin" },
    { "x-middleware-subrequest": "1" },
    { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    { "x-middleware-subrequest": "src/middleware", "x-middleware-rewrite": "/auth/signin", "x-middleware-next": "1" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-path": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    const browser = createBrowser(await serve(guarded()))
    expect((await browser.get("/private", headers)).status).toBe(401)
    const page = await browser.get("/private", { ...html, ...headers })
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth/signin?callbackUrl=%2Fprivate"])
    await browser.signIn(right.password)
    expect((await browser.get("/private", headers)).status).toBe(200)
  })

  it.each(["http://x%2fprivate/", "http://x%2f", "http://user@x/", "ftp://x/"])(
    "CONF-02: is not bypassed by the target %s while the home page is open",
    async (target) => {
      const config = testConfig({ pages: { signIn: "/" } })
      const app = express().set("env", "test").use(requireAuth(config)).all(/.*/, sendSession)
      const origin = await serve(app)
      expect(await statusOf(origin, target, {})).toBe(400)
      expect(await statusOf(origin, "http://x/private", {})).toBe(401)
      expect(await statusOf(origin, "http://x/", {})).toBe(200)
    },
  )

  it("never redirects back to another host", async () => {
    const browser = createBrowser(await serve(guarded()))
    const response = await browser.get("//evil.test/x", html)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("lets a signed-in user through with the session", async () => {
    const browser = createBrowser(await serve(guarded()))
    await browser.signIn(right.password)
    const response = await browser.get("/private", html)
    expect(await response.json()).toMatchObject({ session: { user: ada } })
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const browser = createBrowser(await serve(guarded(testConfig({ callbacks }))))
    await browser.signIn(right.password)
    expect((await browser.get("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://app.test"] }])(
    "CONF-01: rejects every request when the session cannot be read (%j)",
    async (changes) => {
      const origin = await serve(guarded(testConfig(changes)))
      for (const headers of [html, { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }]) {
        const response = await fetch(`${origin}/private`, { headers })
        expect([response.status, await response.text()]).toEqual([503, "AuthError"])
      }
    },
  )

  it("lets requests for the host's own sign-in page through", async () => {
    const browser = createBrowser(await serve(guarded(testConfig({ pages: { signIn: "/login?from=guard" } }))))
    const response = await browser.get("/private", html)
    expect(response.headers.get("location")).toBe("/login?from=guard&callbackUrl=%2Fprivate")
    expect((await browser.get(response.headers.get("location") ?? "", html)).status).toBe(200)
  })

  it("lets requests for the host's own sign-in page through by its absolute URL", async () => {
    const lazy = { signIn: "" }
    const app = express().use(requireAuth(() => testConfig({ pages: { ...lazy } })))
    const browser = createBrowser(await serve(app.all(/.*/, sendSession)))
    lazy.signIn = `${browser.origin}/login`
    const response = await browser.get("/private", html)
    expect(response.headers.get("location")).toBe(`${browser.origin}/login?callbackUrl=%2Fprivate`)
    expect((await browser.get("/login", html)).status).toBe(200)
    lazy.signIn = "https://elsewhere.test/login"
    expect((await browser.get("/login", html)).status).toBe(303)
  })

  it("throws for the built-in sign-in page and explains how to mount it", async () => {
    const config = testConfig()
    const app = express().use(requireAuth(config)).use("/auth", ExpressAuth(config))
    app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
      res.status(503).send(error.message)
    })
    const response = await fetch(`${await serve(app)}/auth/signin`, { headers: html })
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount the endpoints before the guard"),
    ])
  })

  it("renews the session", async () => {
    const browser = createBrowser(await serve(guarded()))
    await browser.signIn(right.password)
    const response = await browser.get("/private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
