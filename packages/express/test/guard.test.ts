import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { ExpressAuth, requireAuth } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"
import { createVisitor } from "./visitor.js"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const tellSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(503).send(error.name)

describe.each(expresses)("requireAuth in $name", ({ express }) => {
  function guarded(config = testConfig()) {
    const app = express().use("/auth", ExpressAuth(config)).use(requireAuth(config))
    return app.all(/.*/, tellSession).use(fail)
  }

  it("redirects a page load to the sign-in page with the way back", async () => {
    const visitor = createVisitor(await serve(guarded()))
    const response = await visitor.get("/private?tab=1&x=/", html)
    expect(response.status).toBe(303)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F")
  })

  it.each([
    ["accepting anything", { accept: "*/*" }],
    ["accepting JSON", { accept: "application/json" }],
  ])("answers a client %s with 401", async (_, headers) => {
    const visitor = createVisitor(await serve(guarded()))
    expect((await visitor.get("/private", headers)).status).toBe(401)
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
    const visitor = createVisitor(await serve(guarded()))
    expect((await visitor.get("/private", headers)).status).toBe(401)
    const page = await visitor.get("/private", { ...html, ...headers })
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth/signin?callbackUrl=%2Fprivate"])
    await visitor.signIn("right")
    expect((await visitor.get("/private", headers)).status).toBe(200)
  })

  it("never redirects back to another host", async () => {
    const visitor = createVisitor(await serve(guarded()))
    const response = await visitor.get("//evil.test/x", html)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("lets a signed-in user through with the session", async () => {
    const visitor = createVisitor(await serve(guarded()))
    await visitor.signIn("right")
    const response = await visitor.get("/private", html)
    expect(await response.json()).toMatchObject({ session: { user: ada } })
  })

  it("rejects a session without a user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const visitor = createVisitor(await serve(guarded(testConfig({ callbacks }))))
    await visitor.signIn("right")
    expect((await visitor.get("/private")).status).toBe(401)
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
    const visitor = createVisitor(await serve(guarded(testConfig({ pages: { signIn: "/login?from=guard" } }))))
    const response = await visitor.get("/private", html)
    expect(response.headers.get("location")).toBe("/login?from=guard&callbackUrl=%2Fprivate")
    expect((await visitor.get(response.headers.get("location") ?? "", html)).status).toBe(200)
  })

  it("lets requests for the host's own sign-in page through by its absolute URL", async () => {
    const lazy = { signIn: "" }
    const app = express().use(requireAuth(() => testConfig({ pages: { ...lazy } })))
    const visitor = createVisitor(await serve(app.all(/.*/, tellSession)))
    lazy.signIn = `${visitor.origin}/login`
    const response = await visitor.get("/private", html)
    expect(response.headers.get("location")).toBe(`${visitor.origin}/login?callbackUrl=%2Fprivate`)
    expect((await visitor.get("/login", html)).status).toBe(200)
    lazy.signIn = "https://elsewhere.test/login"
    expect((await visitor.get("/login", html)).status).toBe(303)
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
    const visitor = createVisitor(await serve(guarded()))
    await visitor.signIn("right")
    const response = await visitor.get("/private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
