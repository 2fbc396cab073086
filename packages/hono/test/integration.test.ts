import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { authHandler, getAuthUser, HonoAuth, initAuthConfig } from "../src/index.js"
import { listen } from "./serve.js"

testIntegration({
  name: "Hono on Node",
  cachedPage: "/cached",
  warnsAtStart: true,
  proxySetting: "HonoAuth(config, { trustProxy: true })",
  start(config) {
    const app = new Hono().use(HonoAuth(config)).get("/cached", async (c) => {
      await getAuthUser(c)
      return c.text("the app", 200, publicCaching)
    })
    return listen(app.fetch)
  },
})

testIntegration({
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
