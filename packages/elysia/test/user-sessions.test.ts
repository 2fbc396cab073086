import type { FreshSession } from "@latchkey/core/sessions"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import {
  ElysiaAuth,
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { testConfig } from "./config.js"
import { createApp, html, serve } from "./serve.js"

describe("The functions for a signed-in user in Elysia", () => {
  testSessionFunctions(async ({ config, sent }) => {
    let take: (request: Request) => Promise<unknown> = async () => undefined
    const app = createApp()
      .use(ElysiaAuth(config))
      .get("/", async ({ request }) => {
        const result = await take(request).catch(() => undefined) // The test sees the error.
        return result instanceof Response ? result : "done"
      })
    const origin = await serve(app)
    let setCookies: readonly string[] = []
    /** Calls a function with a request of the app. */
    const inRequest = async <Result>(call: (request: Request) => Promise<Result>): Promise<Result> => {
      let result: Promise<Result> | undefined
      take = (request) => {
        result = call(request)
        return result
      }
      setCookies = (await fetch(origin, { headers: sent })).headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest(listSessions),
      endSession: (id) => inRequest((request) => endSession(request, id)),
      endOtherSessions: () => inRequest(endOtherSessions),
      signOutEverywhere: (userId) => inRequest((request) => signOutEverywhere(request, userId)),
      async requireFresh(options) {
        let session: FreshSession | null = null
        take = async (request) => {
          const fresh = await requireFresh(request, options)
          if (fresh instanceof Response) return fresh
          session = fresh
          return undefined
        }
        const answer = await fetch(origin, { headers: sent })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((request) => getAccessToken(request, options)),
      setCookies: () => setCookies,
    }
  })

  it("lead a page to the sign-in page, and back to the page that was requested or has the form", async () => {
    const app = createApp().use(ElysiaAuth(testConfig()))
    const origin = await serve(app.all("/pay", ({ request }) => requireFresh(request)))
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
