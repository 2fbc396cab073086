import { testSessionFunctions } from "@latchkey/testkit/integration"
import type { Request, Response } from "express"
import { describe } from "vitest"
import { endOtherSessions, endSession, getAccessToken, listSessions, signOutEverywhere } from "../src/index.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

describe.each(expresses)("The functions for a signed-in user in $name", ({ express }) => {
  testSessionFunctions(async ({ config, cookie }) => {
    const app = express()
    let take: (req: Request) => unknown = () => undefined
    app.get("/", async (req: Request, res: Response) => {
      await Promise.resolve(take(req)).catch(() => undefined) // The test sees the error.
      res.end()
    })
    const origin = await serve(app)
    let setCookies: readonly string[] = []
    /** Calls a function with a request of the app. */
    const inRequest = async <Result>(call: (req: Request) => Promise<Result>): Promise<Result> => {
      let result: Promise<Result> | undefined
      take = (req) => {
        result = call(req)
        return result
      }
      const response = await fetch(origin, { headers: { cookie } })
      setCookies = response.headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest((req) => listSessions(req, config)),
      endSession: (id) => inRequest((req) => endSession(req, () => config, id)),
      endOtherSessions: () => inRequest((req) => endOtherSessions(req, config)),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      getAccessToken: (options) => inRequest((req) => getAccessToken(req, config, options)),
      setCookies: () => setCookies,
    }
  })
})
