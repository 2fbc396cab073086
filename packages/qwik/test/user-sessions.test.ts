import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { answerEvent } from "../src/handler.js"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/user-sessions.js"
import { toQrl } from "./config.js"
import { Abort, createEvent, origin } from "./events.js"

describe("The functions for a signed-in user in Qwik City", () => {
  testSessionFunctions(async ({ config, headers }) => {
    const event = createEvent("/", { headers })
    await answerEvent(
      event,
      toQrl(() => config),
    )
    return {
      listSessions: () => listSessions(event),
      endSession: (id) => endSession(event, id),
      endOtherSessions: () => endOtherSessions(event),
      signOutEverywhere: (userId) => signOutEverywhere(event, userId),
      async requireFresh(options) {
        try {
          return await requireFresh(event, options)
        } catch (thrown) {
          if (!(thrown instanceof Abort)) throw thrown
          const { response, location = "" } = thrown
          return response ?? new Response(null, { status: 303, headers: { location } })
        }
      },
      getAccessToken: (options) => getAccessToken(event, options),
      setCookies: () => [...event.setCookies].map(([name, value]) => `${name}=${value}`),
    }
  }, origin)

  it("throw for an event that onRequest has not seen", async () => {
    await expect(listSessions(createEvent("/"))).rejects.toThrow("Export onRequest of QwikAuth$")
  })
})
