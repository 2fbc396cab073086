import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { endOtherSessions, endSession, listSessions, type NodeRequest, signOutEverywhere } from "../src/index.js"

describe("listSessions, endSession and endOtherSessions on node:http", () => {
  testSessionFunctions(({ config, cookie }) => {
    const request: NodeRequest = { method: "GET", url: "/", headers: { cookie, host: "app.test" }, socket: {} }
    return {
      listSessions: () => listSessions(request, config),
      endSession: (id) => endSession(request, () => config, id),
      endOtherSessions: () => endOtherSessions(request, config),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
    }
  })
})
