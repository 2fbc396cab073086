import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe } from "vitest"
import { NextAuth } from "../src/next-auth.js"
import { RedirectError } from "./doubles/navigation.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"

describe("The functions for a signed-in user in Next.js", () => {
  testSessionFunctions(({ config, cookie }) => {
    const auth = NextAuth(config)
    const headers = new Headers({ cookie, "x-forwarded-host": "app.test", "x-forwarded-proto": "https" })
    const inRequest = <Result>(run: () => Promise<Result>) => scopes.run(new RequestScope(headers), run)
    return {
      listSessions: () => inRequest(() => auth.listSessions()),
      endSession: (id) => inRequest(() => auth.endSession(id)),
      endOtherSessions: () => inRequest(() => auth.endOtherSessions()),
      signOutEverywhere: (userId) => auth.signOutEverywhere(userId),
      async requireFresh(options) {
        try {
          return await inRequest(() => auth.requireFresh(options))
        } catch (error) {
          if (!(error instanceof RedirectError)) throw error
          return new Response(null, { status: 303, headers: { location: error.url } })
        }
      },
      getAccessToken: (options) => inRequest(() => auth.getAccessToken(options)),
    }
  }, "https://app.test")
})
