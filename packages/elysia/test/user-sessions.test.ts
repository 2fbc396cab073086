import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import {
  ElysiaAuth,
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  signOutEverywhere,
} from "../src/index.js"
import { createApp, serve } from "./serve.js"

describe("The functions for a signed-in user in Elysia", () => {
  testSessionFunctions(async ({ config, cookie }) => {
    let take: (request: Request) => Promise<unknown> = async () => undefined
    const app = createApp()
      .use(ElysiaAuth(config))
      .get("/", async ({ request }) => {
        await take(request).catch(() => undefined) // The test sees the error.
        return "done"
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
      setCookies = (await fetch(origin, { headers: { cookie } })).headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest(listSessions),
      endSession: (id) => inRequest((request) => endSession(request, id)),
      endOtherSessions: () => inRequest(endOtherSessions),
      signOutEverywhere: (userId) => inRequest((request) => signOutEverywhere(request, userId)),
      getAccessToken: (options) => inRequest((request) => getAccessToken(request, options)),
      setCookies: () => setCookies,
    }
  })
})
