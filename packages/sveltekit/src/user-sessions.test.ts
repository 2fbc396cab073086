import { settingsOf } from "@latchkey/core/integration"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import type { RequestEvent } from "@sveltejs/kit"
import { describe } from "vitest"
import { requestAuthFinder } from "./session.js"
import { createUserSessions } from "./user-sessions.js"

describe("listSessions, endSession and endOtherSessions in SvelteKit", () => {
  testSessionFunctions(({ config, cookie }) => {
    const own = createUserSessions(requestAuthFinder(async () => settingsOf(config, { env: {} })))
    const url = new URL("http://app.test/")
    const event = {
      url,
      request: new Request(url, { headers: { cookie } }),
      cookies: {},
      getClientAddress: () => "192.0.2.1",
    } as RequestEvent // The parts that are read.
    return {
      listSessions: () => own.listSessions(event),
      endSession: (id) => own.endSession(event, id),
      endOtherSessions: () => own.endOtherSessions(event),
      signOutEverywhere: (userId) => own.signOutEverywhere(event, userId),
    }
  })
})
