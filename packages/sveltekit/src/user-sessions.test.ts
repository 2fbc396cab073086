import { serializeCookie, settingsOf } from "@latchkey/core/integration"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { isHttpError, isRedirect, type RequestEvent } from "@sveltejs/kit"
import { describe } from "vitest"
import { createAccessTokens } from "./access-token.js"
import { createFreshness } from "./require-fresh.js"
import { requestAuthFinder } from "./session.js"
import { createUserSessions } from "./user-sessions.js"

describe("The functions for a signed-in user in SvelteKit", () => {
  testSessionFunctions(({ config, headers }) => {
    const find = requestAuthFinder(async () => settingsOf(config, { env: {} }))
    const own = createUserSessions(find)
    const url = new URL("http://app.test/")
    const sent = new Headers()
    const lines: string[] = []
    const event = {
      url,
      setHeaders: (headers: Readonly<Record<string, string>>) => {
        for (const [name, value] of Object.entries(headers)) sent.set(name, value)
      },
      request: new Request(url, { headers }),
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
      async requireFresh(options) {
        try {
          return await createFreshness(find).requireFresh(event, options)
        } catch (thrown) {
          if (isRedirect(thrown))
            return new Response(null, { status: thrown.status, headers: { location: thrown.location } })
          if (!isHttpError(thrown)) throw thrown
          const { message, ...rest } = thrown.body
          return Response.json({ error: message, ...rest }, { status: thrown.status, headers: sent })
        }
      },
      getAccessToken: (options) => createAccessTokens(find).getAccessToken(event, options),
      setCookies: () => lines,
    }
  })
})
