import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { AuthModule } from "../src/index.js"
import { createApp, platforms, type Route, serve } from "./app.js"

describe.each(platforms)("@CurrentAuth in $name", ({ createAdapter }) => {
  testUserAuth(
    async (config, route) => {
      const form: Route = {
        path: "form",
        method: "ALL",
        async handle({ auth, reply }) {
          const answer = await route(auth)
          for (const line of answer?.headers.getSetCookie() ?? []) reply.header("set-cookie", line)
          return answer?.text()
        },
      }
      const app = await createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes: [form] })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
