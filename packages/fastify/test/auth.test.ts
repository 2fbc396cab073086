import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import createFastify from "fastify"
import { describe } from "vitest"
import { authPlugin } from "../src/index.js"
import { serve } from "./serve.js"

describe("request.auth in Fastify", () => {
  testUserAuth(
    async (config, route) => {
      const app = createFastify()
      app.addContentTypeParser("application/x-www-form-urlencoded", async () => undefined)
      await app.register(authPlugin, config)
      app.all("/form", ({ auth }) => route(auth))
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
