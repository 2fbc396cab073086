import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { authHandler, getAuthUser, HonoAuth, initAuthConfig } from "../src/index.js"
import { listen } from "./serve.js"

testIntegration({
  name: "Hono on Node",
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: "HonoAuth(config, { trustProxy: true })",
  start(config) {
    const app = new Hono().use(HonoAuth(config))
    app.get("/cached", async (c) => {
      await getAuthUser(c)
      return c.text("the app", 200, publicCaching)
    })
    app.post("/login", async (c) => {
      const { providerId, redirectTo, ...fields } = await c.req.parseBody<Record<string, string>>()
      return c.redirect(await c.var.auth.signIn({ providerId, redirectTo, fields }), 303)
    })
    app.onError(({ name }, c) => c.text(name, 403))
    return listen(app.fetch)
  },
})

testIntegration({
  isOtherMount: true,
  name: "Hono on Node, mounted below an app, behind parsed bodies",
  basePath: "/shop/auth",
  start: (config) => {
    const shop = new Hono().use("/auth/*", authHandler())
    const app = new Hono().use(initAuthConfig(config)).use(async (c, next) => {
      await c.req.parseBody()
      await next()
    })
    return listen(app.route("/shop", shop).fetch)
  },
})
