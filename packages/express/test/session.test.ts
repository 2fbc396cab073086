import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { currentSession, ExpressAuth, getSession } from "../src/index.js"
import { createBrowser } from "./browser.js"
import { ada, right, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

const sendSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
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
    const browser = createBrowser(await serve(appWith(config)))
    expect(await (await browser.get("/page")).json()).toEqual({ session: null })
    await browser.signIn(right.password)
    expect(await (await browser.get("/page")).json()).toMatchObject({ session: { user: ada } })
    await browser.signOut()
    expect(await (await browser.get("/page")).json()).toEqual({ session: null })
  })

  it("returns null for a forged cookie", async () => {
    const browser = createBrowser(await serve(appWith(testConfig())))
    const page = await browser.get("/page", { cookie: "authjs.session-token=forged" })
    expect(await page.json()).toEqual({ session: null })
  })

  it("reads secure cookies only behind a trusted proxy", async () => {
    const config = testConfig()
    const trusting = await serve(appWith(config).set("trust proxy", true))
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test", origin: "https://app.test" }
    const browser = createBrowser(trusting, { headers })
    await browser.signIn(right.password)
    expect([...browser.cookies.keys()]).toContain("__Secure-authjs.session-token")
    expect(await (await browser.get("/page")).json()).toMatchObject({ session: { user: ada } })

    const cookie = `__Secure-authjs.session-token=${browser.cookies.get("__Secure-authjs.session-token")}`
    const wary = createBrowser(await serve(appWith(config)), { headers: { ...headers, cookie } })
    expect(await (await wary.get("/page")).json()).toEqual({ session: null })
  })

  it("CONF-01: throws without a secret", async () => {
    const browser = createBrowser(await serve(appWith(testConfig({ secret: "" }))))
    const page = await browser.get("/page")
    expect(page.status).toBe(503)
    expect(await page.text()).toBe("AuthError")
  })
})

describe.each(expresses)("currentSession in $name", ({ express }) => {
  it("sets res.locals.session, to null when signed out", async () => {
    const config = testConfig()
    const app = express().use("/auth", ExpressAuth(config)).use(currentSession(config)).get("/", sendSession)
    const browser = createBrowser(await serve(app))
    expect(await (await browser.get("/")).json()).toEqual({ session: null })
    await browser.signIn(right.password)
    expect(await (await browser.get("/")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: sets null when the session cannot be read", async () => {
    const app = express()
      .use(currentSession(testConfig({ secret: "" })))
      .get("/", sendSession)
    expect(await (await fetch(await serve(app))).json()).toEqual({ session: null })
  })

  it("passes errors of the host's function to the app", async () => {
    const lazy = () => Promise.reject(new TypeError("no tenant"))
    const app = express().use(currentSession(lazy)).get("/", sendSession).use(fail)
    const response = await fetch(await serve(app))
    expect(response.status).toBe(503)
    expect(await response.text()).toBe("TypeError")
  })
})
