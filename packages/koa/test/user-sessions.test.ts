import type { FreshSession } from "@latchkey/core/sessions"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import type { Context } from "koa"
import { describe, expect, it } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  KoaAuth,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { testConfig } from "./config.js"
import { koas } from "./koas.js"
import { html, serve } from "./serve.js"

describe.each(koas)("The functions for a signed-in user in $name", ({ Koa }) => {
  testSessionFunctions(async ({ config, sent }) => {
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
      setCookies = (await fetch(origin, { headers: sent })).headers.getSetCookie()
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
        const answer = await fetch(origin, { headers: sent })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((ctx) => getAccessToken(ctx, options)),
      setCookies: () => setCookies,
    }
  })

  it("lead a page to the sign-in page, and back to the page that was requested or has the form", async () => {
    const app = new Koa().use(KoaAuth(testConfig()))
    const origin = await serve(app.use(async (ctx) => void (await requireFresh(ctx))))
    const page = await fetch(`${origin}/pay?amount=5`, { headers: html, redirect: "manual" })
    expect([page.status, readCallbackUrl(page)]).toEqual([303, `${origin}/pay?amount=5`])
    const headers = { ...html, referer: `${origin}/cart?id=1` }
    const form = await fetch(`${origin}/pay`, { method: "POST", headers, redirect: "manual" })
    expect([form.status, readCallbackUrl(form)]).toEqual([303, `${origin}/cart?id=1`])
  })
})

function readCallbackUrl({ headers, url }: Response): string | null {
  const location = new URL(headers.get("location") ?? "", url)
  expect(location.pathname).toBe("/auth/signin")
  return location.searchParams.get("callbackUrl")
}
