import type { FreshSession } from "@latchkey/core/sessions"
import { testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import type { Request, Response } from "express"
import { describe } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

describe.each(expresses)("The functions for a signed-in user in $name", ({ express }) => {
  testSessionFunctions(async ({ config, headers }) => {
    const app = express()
    let take: (req: Request, res: Response) => unknown = () => undefined
    app.get("/", async (req: Request, res: Response) => {
      await Promise.resolve(take(req, res)).catch(() => undefined) // The test sees the error.
      if (!res.writableEnded) res.end()
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
      const response = await fetch(origin, { headers, redirect: "manual" })
      setCookies = response.headers.getSetCookie()
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest((req) => listSessions(req, config)),
      endSession: (id) => inRequest((req) => endSession(req, () => config, id)),
      endOtherSessions: () => inRequest((req) => endOtherSessions(req, config)),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        take = async (req, res) => {
          session = await requireFresh({ req, res, config }, options)
        }
        const answer = await fetch(origin, { headers, redirect: "manual" })
        return session ?? answer
      },
      getAccessToken: (options) => inRequest((req) => getAccessToken(req, config, options)),
      setCookies: () => setCookies,
    }
  })
  testReturnPage((config) => {
    const app = express()
    app.all("/pay", async (req: Request, res: Response) => void (await requireFresh({ req, res, config })))
    return serve(app)
  })
})
