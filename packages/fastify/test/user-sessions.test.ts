import { testSessionFunctions } from "@latchkey/testkit/integration"
import createFastify, { type FastifyRequest } from "fastify"
import { describe } from "vitest"
import {
  authPlugin,
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  signOutEverywhere,
} from "../src/index.js"

describe("The functions for a signed-in user in Fastify", () => {
  testSessionFunctions(async ({ config, cookie }) => {
    const app = createFastify()
    await app.register(authPlugin, config)
    let setCookies: readonly string[] = []
    let call: (request: FastifyRequest) => Promise<unknown> = async () => null
    app.get("/", async (request, reply) => {
      const result = await call(request)
      return reply.send(`done ${result !== undefined}`)
    })
    /** Calls a function with a request of the app. */
    async function inRequest<Result>(run: (request: FastifyRequest) => Promise<Result>): Promise<Result> {
      const results: Promise<Result>[] = []
      call = (request) => {
        const result = run(request)
        results.push(result)
        return result
      }
      const { headers } = await app.inject({ url: "/", headers: { cookie, host: "app.test" } })
      setCookies = [headers["set-cookie"] ?? []].flat()
      const [result] = results
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      listSessions: () => inRequest((request) => listSessions(request, config)),
      endSession: (id) => inRequest((request) => endSession(request, () => config, id)),
      endOtherSessions: () => inRequest((request) => endOtherSessions(request, config)),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      getAccessToken: (options) => inRequest((request) => getAccessToken(request, config, options)),
      setCookies: () => setCookies,
    }
  })
})
