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
import { origin } from "./events.js"

describe("The functions for a signed-in user in SolidStart", () => {
  testSessionFunctions(({ config, headers }) => {
    const request = new Request(`${origin}/`, { headers })
    const { basePath: prefix, ...given } = config
    const own = { ...given, prefix: prefix ?? "/auth" }
    const response = { headers: new Headers() }
    return {
      listSessions: () => listSessions(request, own),
      endSession: (id) => endSession({ request }, own, id),
      endOtherSessions: () => endOtherSessions(request, own),
      signOutEverywhere: (userId) => signOutEverywhere(own, userId),
      requireFresh: (options) => requireFresh({ request }, own, options),
      getAccessToken: (options) => getAccessToken({ request, response }, own, options),
      setCookies: () => response.headers.getSetCookie(),
    }
  }, origin)
})
