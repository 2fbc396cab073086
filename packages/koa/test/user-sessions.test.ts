import type { FreshSession } from "@latchkey/core/sessions"
import { testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import type { Context } from "koa"
import { describe } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  KoaAuth,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { koas } from "./koas.js"
import { serve } from "./serve.js"

describe.each(koas)("The functions for a signed-in user in $name", ({ Koa }) => {
  testSessionFunctions(async ({ config, headers }) => {
    const app = new Koa().use(KoaAuth(config))
    let take: (ctx: Context) => Promise<unknown> = async () => undefined
    app.use(async (ctx) => {
      await take(ctx).catch(() => undefined) // The test sees the error.
      ctx.body ??= "done"
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
      setCookies = (await fetch(origin, { headers, redirect: "manual" })).headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest(listSessions),
      endSession: (id) => inRequest((ctx) => endSession(ctx, id)),
      endOtherSessions: () => inRequest(endOtherSessions),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        take = async (ctx) => {
          session = await requireFresh(ctx, options)
        }
        const answer = await fetch(origin, { headers, redirect: "manual" })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((ctx) => getAccessToken(ctx, options)),
      setCookies: () => setCookies,
    }
  })

  testReturnPage((config) => {
    const app = new Koa().use(KoaAuth(config))
    return serve(app.use(async (ctx) => void (await requireFresh(ctx))))
  })
})
