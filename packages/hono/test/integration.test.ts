import { integrationConfig, testIntegration } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { authHandler, HonoAuth, initAuthConfig } from "../src/index.js"
import { listen } from "./serve.js"

testIntegration({
  name: "Hono on Node",
  start: () => listen(new Hono().use(HonoAuth(integrationConfig())).fetch),
})

testIntegration({
  name: "Hono on Node, mounted below an app, behind parsed bodies",
  basePath: "/shop/auth",
  start: () => {
    const shop = new Hono().use("/auth/*", authHandler())
    const app = new Hono().use(initAuthConfig(integrationConfig())).use(async (c, next) => {
      await c.req.parseBody()
      await next()
    })
    return listen(app.route("/shop", shop).fetch)
  },
})
