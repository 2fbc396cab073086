import { createServer, IncomingMessage, type Server } from "node:http"
import { type AddressInfo, Socket } from "node:net"
import type { FreshSession } from "@latchkey/core/sessions"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"

describe("The functions for a signed-in user on node:http", () => {
  testSessionFunctions(({ config, cookie }) => {
    const request = new IncomingMessage(new Socket())
    Object.assign(request.headers, { cookie, host: "app.test" })
    request.rawHeaders = ["cookie", cookie, "host", "app.test"]
    return {
      listSessions: () => listSessions(request, config),
      endSession: (id) => endSession(request, () => config, id),
      endOtherSessions: () => endOtherSessions(request, config),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        const server = createServer(async (req, res) => {
          session = await requireFresh({ req, res, config }, options)
          if (session) res.end()
        })
        const answer = await fetch(await listen(server), { headers: { cookie } })
        server.close()
        return session ?? answer
      },
      getAccessToken: (options) => getAccessToken(request, config, options),
    }
  })
})

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
