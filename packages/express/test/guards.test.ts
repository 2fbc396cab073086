import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { currentSession, ExpressAuth, requireAuth } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"
import { createVisitor } from "./visitor.js"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const tellSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(503).send(error.name)

describe.each(expresses)("currentSession in $name", ({ express }) => {
  it("leaves the session in res.locals, and null when there is none", async () => {
    const config = testConfig()
    const app = express().use("/auth", ExpressAuth(config)).use(currentSession(config)).get("/", tellSession)
    const visitor = createVisitor(await serve(app))
    expect(await (await visitor.get("/")).json()).toEqual({ session: null })
    await visitor.signIn("right")
    expect(await (await visitor.get("/")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: leaves null when the service cannot say", async () => {
    const app = express()
      .use(currentSession(testConfig({ secret: "" })))
      .get("/", tellSession)
    expect(await (await fetch(await serve(app))).json()).toEqual({ session: null })
  })

  it("hands errors of the host's own function to the app", async () => {
    const lazy = () => Promise.reject(new TypeError("no tenant"))
    const app = express().use(currentSession(lazy)).get("/", tellSession).use(fail)
    const response = await fetch(await serve(app))
    expect(response.status).toBe(503)
    expect(await response.text()).toBe("TypeError")
  })
})

describe.each(expresses)("requireAuth in $name", ({ express }) => {
  function guarded(config = testConfig()) {
    const app = express().use("/auth", ExpressAuth(config)).use(requireAuth(config))
    return app.all(/.*/, tellSession).use(fail)
  }

  it("sends people who load a page to the sign-in page, and back afterwards", async () => {
    const visitor = createVisitor(await serve(guarded()))
    const response = await visitor.get("/private?tab=1&x=/", html)
    expect(response.status).toBe(303)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1%26x%3D%2F")
  })

  it.each([
    ["takes anything", { accept: "*/*" }],
    ["wants JSON", { accept: "application/json" }],
  ])("answers 401 to who %s", async (_, headers) => {
    const visitor = createVisitor(await serve(guarded()))
    expect((await visitor.get("/private", headers)).status).toBe(401)
  })

  it("answers 401 to a form", async () => {
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
  ])("CONF-02: is not talked round by %j", async (headers) => {
    const visitor = createVisitor(await serve(guarded()))
    expect((await visitor.get("/private", headers)).status).toBe(401)
    const page = await visitor.get("/private", { ...html, ...headers })
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth/signin?callbackUrl=%2Fprivate"])
    await visitor.signIn("right")
    expect((await visitor.get("/private", headers)).status).toBe(200)
  })

  it("names no other host in the way back", async () => {
    const visitor = createVisitor(await serve(guarded()))
    const response = await visitor.get("//evil.test/x", html)
    expect(response.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fevil.test%2Fx")
  })

  it("lets signed-in people through with their session", async () => {
    const visitor = createVisitor(await serve(guarded()))
    await visitor.signIn("right")
    const response = await visitor.get("/private", html)
    expect(await response.json()).toMatchObject({ session: { user: ada } })
  })

  it("lets nobody through when the session has no user", async () => {
    const callbacks = { session: () => ({ expires: "2099-01-01T00:00:00.000Z" }) }
    const visitor = createVisitor(await serve(guarded(testConfig({ callbacks }))))
    await visitor.signIn("right")
    expect((await visitor.get("/private")).status).toBe(401)
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://app.test"] }])(
    "CONF-01: lets nobody through when the service cannot say (%j)",
    async (changes) => {
      const origin = await serve(guarded(testConfig(changes)))
      for (const headers of [html, { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }]) {
        const response = await fetch(`${origin}/private`, { headers })
        expect([response.status, await response.text()]).toEqual([503, "AuthError"])
      }
    },
  )

  it("does not guard the host's own sign-in page, so that nobody goes round in circles", async () => {
    const visitor = createVisitor(await serve(guarded(testConfig({ pages: { signIn: "/login?from=guard" } }))))
    const response = await visitor.get("/private", html)
    expect(response.headers.get("location")).toBe("/login?from=guard&callbackUrl=%2Fprivate")
    expect((await visitor.get(response.headers.get("location") ?? "", html)).status).toBe(200)
  })

  it("does not guard it by its whole address either", async () => {
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

  it("refuses to guard the built-in sign-in page, and says what to do", async () => {
    const config = testConfig()
    const app = express().use(requireAuth(config)).use("/auth", ExpressAuth(config))
    app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
      res.status(503).send(error.message)
    })
    const response = await fetch(`${await serve(app)}/auth/signin`, { headers: html })
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("round in circles")])
  })

  it("extends the session of who comes through", async () => {
    const visitor = createVisitor(await serve(guarded()))
    await visitor.signIn("right")
    const response = await visitor.get("/private")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^authjs\.session-token=[^;]+;.*Expires=/)])
  })
})
