import type { FreshSession } from "@latchkey/core/sessions"
import { testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import {
  ElysiaAuth,
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { createApp, serve } from "./serve.js"

describe("The functions for a signed-in user in Elysia", () => {
  testSessionFunctions(async ({ config, headers }) => {
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
      setCookies = (await fetch(origin, { headers, redirect: "manual" })).headers.getSetCookie()
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
        const answer = await fetch(origin, { headers, redirect: "manual" })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((request) => getAccessToken(request, options)),
      setCookies: () => setCookies,
    }
  })

  testReturnPage((config) => {
    const app = createApp().use(ElysiaAuth(config))
    return serve(app.all("/pay", ({ request }) => requireFresh(request)))
  })
})
