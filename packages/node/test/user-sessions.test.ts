import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { endOtherSessions, endSession, getAccessToken, listSessions, signOutEverywhere } from "../src/index.js"

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
      getAccessToken: (options) => getAccessToken(request, config, options),
    }
  })
})
