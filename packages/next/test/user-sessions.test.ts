import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { NextAuth } from "../src/next-auth.js"
import { RedirectError } from "./doubles/navigation.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"

describe("The functions for a signed-in user in Next.js", () => {
  testSessionFunctions(({ config, headers: sent }) => {
    const auth = NextAuth(config)
    const headers = new Headers({ ...sent, "x-forwarded-host": "app.test", "x-forwarded-proto": "https" })
    let scope = new RequestScope(headers)
    const inRequest = <Result>(run: () => Promise<Result>) => {
      scope = new RequestScope(headers)
      return scopes.run(scope, run)
    }
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
      setCookies: () => scope.setCookies,
    }
  }, "https://app.test")

  it("refresh no token that is kept in a cookie in a server component", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const config = {
      ...integrationConfig(),
      providers: [idp.provider()],
      accessTokens: accessTokens({ keep: "cookie" }),
    }
    const auth = NextAuth(config)
    const browser = createBrowser({
      handler: (request) => Auth(request, config),
      origin: "https://app.test",
      basePath: "/auth",
      network: { [idp.origin]: idp.handler },
    })
    await browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: cookie.join("; "), "x-forwarded-host": "app.test", "x-forwarded-proto": "https" }
    const component = new RequestScope(new Headers(headers), { isComponent: true })
    const ask = () => auth.getAccessToken({ provider: "oidc" })
    await expect(scopes.run(component, ask)).rejects.toMatchObject({ reason: "cannot-write" })
    expect(idp.requests.token).toHaveLength(1)
    expect(await scopes.run(new RequestScope(new Headers(headers)), ask)).toMatchObject({ tokenType: "bearer" })
  })
})
