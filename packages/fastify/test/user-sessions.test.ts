import type { FreshSession } from "@latchkey/core/sessions"
import { testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import createFastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { describe } from "vitest"
import {
  authPlugin,
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { serve } from "./serve.js"

describe("The functions for a signed-in user in Fastify", () => {
  testSessionFunctions(async ({ config, headers: sent }) => {
    const app = createFastify()
    await app.register(authPlugin, config)
    let setCookies: readonly string[] = []
    let call: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> = async () => null
    app.get("/", async (request, reply) => {
      const result = await call(request, reply)
      return reply.sent ? reply : reply.send(`done ${result !== undefined}`)
    })
    /** Calls a function with a request of the app. */
    async function inRequest<Result>(run: (request: FastifyRequest) => Promise<Result>): Promise<Result> {
      const results: Promise<Result>[] = []
      call = (request) => {
        const result = run(request)
        results.push(result)
        return result
      }
      const { headers } = await app.inject({ url: "/", headers: { ...sent, host: "app.test" } })
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
      async requireFresh(options) {
        let session: FreshSession | null = null
        call = async (request, reply) => {
          session = await requireFresh({ request, reply, config }, options)
        }
        const { statusCode, headers, body } = await app.inject({ url: "/", headers: { ...sent, host: "app.test" } })
        const answered = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
        return session ?? new Response(body, { status: statusCode, headers: answered })
      },
      getAccessToken: (options) => inRequest((request) => getAccessToken(request, config, options)),
      setCookies: () => setCookies,
    }
  })
  testReturnPage(async (config) => {
    const app = createFastify()
    await app.register(authPlugin, config)
    app.all("/pay", async (request, reply) => void (await requireFresh({ request, reply, config })))
    return serve(app)
  })
})
