import { testSessionFunctions } from "@latchkey/testkit/integration"
import type { Context } from "koa"
import { describe } from "vitest"
import { endOtherSessions, endSession, getAccessToken, KoaAuth, listSessions, signOutEverywhere } from "../src/index.js"
import { koas } from "./koas.js"
import { serve } from "./serve.js"

describe.each(koas)("The functions for a signed-in user in $name", ({ Koa }) => {
  testSessionFunctions(async ({ config, cookie }) => {
    const app = new Koa().use(KoaAuth(config))
    let take: (ctx: Context) => Promise<unknown> = async () => undefined
    app.use(async (ctx) => {
      await take(ctx).catch(() => undefined) // The test sees the error.
      ctx.body = "done"
    })
    const origin = await serve(app)
    let setCookies: readonly string[] = []
    /** Calls a function with a request of the app. */
    const inRequest = async <Result>(call: (ctx: Context) => Promise<Result>): Promise<Result> => {
      let result: Promise<Result> | undefined
      take = (ctx) => {
        result = call(ctx)
        return result
      }
      setCookies = (await fetch(origin, { headers: { cookie } })).headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest(listSessions),
      endSession: (id) => inRequest((ctx) => endSession(ctx, id)),
      endOtherSessions: () => inRequest(endOtherSessions),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      getAccessToken: (options) => inRequest((ctx) => getAccessToken(ctx, options)),
      setCookies: () => setCookies,
    }
  })
})
