import { overHttp } from "@latchkey/testkit"
import { testUserAuth } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { KoaAuth } from "../src/index.js"
import { koas } from "./koas.js"
import { serve } from "./serve.js"

describe.each(koas)("ctx.auth in $name", ({ Koa }) => {
  testUserAuth(
    async (config, route) => {
      const app = new Koa().use(KoaAuth(config)).use(async (ctx) => {
        const answer = await route(ctx.auth)
        if (!answer) return
        ctx.set("set-cookie", answer.headers.getSetCookie())
        ctx.body = await answer.text() // Koa 2 knows no streams of the Web.
      })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
