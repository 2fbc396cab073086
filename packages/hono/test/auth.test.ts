import { testUserAuth } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { describe } from "vitest"
import { authHandler, HonoAuth, initAuthConfig } from "../src/index.js"

describe("auth in Hono", () => {
  testUserAuth(
    (config, route) => {
      const app = new Hono().use(HonoAuth(config))
      app.all("/form", async (c) => (await route(c.get("auth"))) ?? c.notFound())
      return { origin: "http://app.test", handler: (request) => app.fetch(request) }
    },
    { needsOrigin: false },
  )
})

describe("auth in Hono with initAuthConfig", () => {
  testUserAuth(
    (config, route) => {
      const app = new Hono().use(initAuthConfig(config)).use("/auth/*", authHandler())
      app.all("/form", async (c) => (await route(c.var.auth)) ?? c.notFound())
      return { origin: "http://app.test", handler: (request) => app.fetch(request) }
    },
    { needsOrigin: false },
  )
})
