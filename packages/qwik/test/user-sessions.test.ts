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
import { createEvent, origin } from "./events.js"

describe("The functions for a signed-in user in Qwik City", () => {
  testSessionFunctions(async ({ config, cookie }) => {
    const event = createEvent("/", { headers: { cookie } })
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
        const sent: Response[] = []
        const answering = { ...event, send: (response: Response) => sent.push(response) }
        try {
          return await requireFresh(answering, options)
        } catch (error) {
          const [response] = sent
          if (!response) throw error
          return response
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
