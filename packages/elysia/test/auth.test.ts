import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { ElysiaAuth } from "../src/index.js"
import { createApp, serve } from "./serve.js"

describe.each([true, false])("auth in Elysia (aot: %s)", (aot) => {
  testUserAuth(
    async (config, route) => {
      const app = createApp({ aot })
        .use(ElysiaAuth(config))
        .all("/form", ({ auth }) => route(auth))
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
