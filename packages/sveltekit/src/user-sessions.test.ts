import { serializeCookie, settingsOf } from "@latchkey/core/integration"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import type { RequestEvent } from "@sveltejs/kit"
import { describe } from "vitest"
import { createAccessTokens } from "./access-token.js"
import { requestAuthFinder } from "./session.js"
import { createUserSessions } from "./user-sessions.js"

describe("The functions for a signed-in user in SvelteKit", () => {
  testSessionFunctions(({ config, cookie }) => {
    const find = requestAuthFinder(async () => settingsOf(config, { env: {} }))
    const own = createUserSessions(find)
    const url = new URL("http://app.test/")
    const lines: string[] = []
    const event = {
      url,
      request: new Request(url, { headers: { cookie } }),
      cookies: {
        set: (name: string, value: string, options: object) =>
          void lines.push(serializeCookie({ name, value, options })),
      },
      getClientAddress: () => "192.0.2.1",
    } as unknown as RequestEvent // The parts that are read.
    return {
      listSessions: () => own.listSessions(event),
      endSession: (id) => own.endSession(event, id),
      endOtherSessions: () => own.endOtherSessions(event),
      signOutEverywhere: (userId) => own.signOutEverywhere(event, userId),
      getAccessToken: (options) => createAccessTokens(find).getAccessToken(event, options),
      setCookies: () => lines,
    }
  })
})
