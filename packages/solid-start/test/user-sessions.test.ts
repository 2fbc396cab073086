import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  getSession,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { origin, streamed } from "./events.js"

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

  it("KEEP-05: refresh no token that is kept in a cookie once the stream of a page has begun", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = accessTokens({ keep: "cookie" })
    const { basePath: _, ...given } = { ...integrationConfig(), providers: [idp.provider()], tokens }
    const config = { ...given, prefix: "/auth" }
    const browser = createBrowser({
      handler: (request) => Auth(request, { ...given, basePath: "/auth" }),
      origin,
      basePath: "/auth",
      network: { [idp.origin]: idp.handler },
    })
    await browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const request = new Request(`${origin}/page`, { headers: { cookie: cookie.join("; ") } })
    const response = { headers: new Headers() }
    const { event, begin } = streamed({ request, response })
    begin()
    const asked = getAccessToken(event, config, { provider: "oidc" })
    await expect(asked).rejects.toMatchObject({ reason: "cannot-write" })
    expect(await getSession(event, config)).not.toBeNull()
    expect([idp.requests.token.length, [...response.headers]]).toEqual([1, []])
    const early = streamed({ request, response }).event
    expect(await getAccessToken(early, config, { provider: "oidc" })).toMatchObject({ tokenType: "bearer" })
    expect([idp.requests.token.length, response.headers.getSetCookie().length > 0]).toEqual([2, true])
  })
})
