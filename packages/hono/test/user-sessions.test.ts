import { testSessionFunctions } from "@latchkey/testkit/integration"
import { type Context, Hono } from "hono"
import { describe } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  initAuthConfig,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"

describe("The functions for a signed-in user in Hono", () => {
  testSessionFunctions(({ config, headers }) => {
    let setCookies: readonly string[] = []
    /** Calls a function with the context of a request. */
    async function inRequest<Result>(run: (c: Context) => Promise<Result>): Promise<Result> {
      const results: Promise<Result>[] = []
      const app = new Hono().use(initAuthConfig(config)).get("/", async (c) => {
        const result = run(c)
        results.push(result)
        await result
        return c.text("done")
      })
      app.onError((_, c) => c.text("failed", 500)) // The test sees the error.
      const response = await app.request("http://app.test/", { headers })
      setCookies = response.headers.getSetCookie()
      const [result] = results
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest((c) => listSessions(c)),
      endSession: (id) => inRequest((c) => endSession(c, id)),
      endOtherSessions: () => inRequest((c) => endOtherSessions(c)),
      signOutEverywhere: (userId) => inRequest((c) => signOutEverywhere(c, userId)),
      requireFresh: (options) => inRequest((c) => requireFresh(c, options)),
      getAccessToken: (options) => inRequest((c) => getAccessToken(c, options)),
      setCookies: () => setCookies,
    }
  })
})
