import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { currentSession, ExpressAuth, getSession } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"
import { createVisitor } from "./visitor.js"

const tellSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(503).send(error.name)

describe.each(expresses)("getSession in $name", ({ express }) => {
  function appWith(config: Parameters<typeof ExpressAuth>[0]) {
    const app = express().use("/auth", ExpressAuth(config))
    app.get("/page", async (req: Request, res: ExpressResponse, next: NextFunction) => {
      await getSession(req, config).then((session) => res.json({ session }), next)
    })
    app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
      res.status(503).send(error.name)
    })
    return app
  }

  it("returns null when signed out, and the session when signed in", async () => {
    const config = testConfig()
    const visitor = createVisitor(await serve(appWith(config)))
    expect(await (await visitor.get("/page")).json()).toEqual({ session: null })
    await visitor.signIn("right")
    expect(await (await visitor.get("/page")).json()).toMatchObject({ session: { user: ada } })
    await visitor.signOut()
    expect(await (await visitor.get("/page")).json()).toEqual({ session: null })
  })

  it("returns null for a forged cookie", async () => {
    const visitor = createVisitor(await serve(appWith(testConfig())))
    const page = await visitor.get("/page", { cookie: "authjs.session-token=forged" })
    expect(await page.json()).toEqual({ session: null })
  })

  it("reads secure cookies only behind a trusted proxy", async () => {
    const config = testConfig()
    const trusting = await serve(appWith(config).set("trust proxy", true))
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test", origin: "https://app.test" }
    const visitor = createVisitor(trusting, { headers })
    await visitor.signIn("right")
    expect([...visitor.cookies.keys()]).toContain("__Secure-authjs.session-token")
    expect(await (await visitor.get("/page")).json()).toMatchObject({ session: { user: ada } })

    const cookie = `__Secure-authjs.session-token=${visitor.cookies.get("__Secure-authjs.session-token")}`
    const wary = createVisitor(await serve(appWith(config)), { headers: { ...headers, cookie } })
    expect(await (await wary.get("/page")).json()).toEqual({ session: null })
  })

  it("CONF-01: throws without a secret", async () => {
    const visitor = createVisitor(await serve(appWith(testConfig({ secret: "" }))))
    const page = await visitor.get("/page")
    expect(page.status).toBe(503)
    expect(await page.text()).toBe("AuthError")
  })
})

describe.each(expresses)("currentSession in $name", ({ express }) => {
  it("sets res.locals.session, to null when signed out", async () => {
    const config = testConfig()
    const app = express().use("/auth", ExpressAuth(config)).use(currentSession(config)).get("/", tellSession)
    const visitor = createVisitor(await serve(app))
    expect(await (await visitor.get("/")).json()).toEqual({ session: null })
    await visitor.signIn("right")
    expect(await (await visitor.get("/")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: sets null when the session cannot be read", async () => {
    const app = express()
      .use(currentSession(testConfig({ secret: "" })))
      .get("/", tellSession)
    expect(await (await fetch(await serve(app))).json()).toEqual({ session: null })
  })

  it("passes errors of the host's function to the app", async () => {
    const lazy = () => Promise.reject(new TypeError("no tenant"))
    const app = express().use(currentSession(lazy)).get("/", tellSession).use(fail)
    const response = await fetch(await serve(app))
    expect(response.status).toBe(503)
    expect(await response.text()).toBe("TypeError")
  })
})
