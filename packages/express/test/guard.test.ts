import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { ExpressAuth, requireAuth } from "../src/index.js"
import { createBrowser } from "./browser.js"
import { testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve, statusOf } from "./serve.js"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const sendSession = (_req: Request, res: ExpressResponse) => void res.json({ session: res.locals["session"] })
const allowCaching = (_req: Request, res: ExpressResponse, next: NextFunction) => {
  res.set(publicCaching)
  next()
}
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(503).send(error.message)

describe.each(expresses)("requireAuth in $name", ({ express }) => {
  function guarded(config = testConfig()) {
    const app = express().use("/auth", ExpressAuth(config))
    return app.use(allowCaching).use(requireAuth(config)).all(/.*/, sendSession).use(fail)
  }

  testGuard({
    start: (config) => serve(guarded(config)),
    startBeforeEndpoints: (config) =>
      serve(express().use(requireAuth(config)).use("/auth", ExpressAuth(config)).use(fail)),
    failure: [503, "could not be read"],
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
})
