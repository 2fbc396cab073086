import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import type { FreshSession } from "@latchkey/core/sessions"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, testReturnPage, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"
import { serve } from "./serve.js"

describe("The functions for a signed-in user on node:http", () => {
  testSessionFunctions(({ config, headers }) => {
    const request = new IncomingMessage(new Socket())
    Object.assign(request.headers, { ...headers, host: "app.test" })
    request.rawHeaders = Object.entries(request.headers).flat().map(String)
    const response = new ServerResponse(request)
    return {
      listSessions: () => listSessions(request, config),
      endSession: (id) => endSession(request, () => config, id),
      endOtherSessions: () => endOtherSessions(request, config),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        const { origin } = await serve(async (req, res) => {
          session = await requireFresh({ req, res, config }, options)
          if (session) res.end()
        })
        const answer = await fetch(origin, { headers, redirect: "manual" })
        return session ?? answer
      },
      getAccessToken: (options) => getAccessToken(request, config, options, { response }),
      setCookies: () => [response.getHeader("set-cookie") ?? []].flat().map(String),
    }
  })

  testReturnPage(async (config) => {
    const { origin } = await serve((req, res) => requireFresh({ req, res, config }))
    return origin
  })

  it("refresh no token that is kept in a cookie without a response, nor after its headers were sent", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = accessTokens({ keep: "cookie" })
    const config = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], tokens }
    const browser = createBrowser({
      handler: (request) => Auth(request, config),
      origin: "http://app.test",
      basePath: "/auth",
      network: { [idp.origin]: idp.handler },
    })
    await browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const request = new IncomingMessage(new Socket())
    const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    Object.assign(request.headers, { cookie: cookie.join("; "), host: "app.test" })
    const sent = new ServerResponse(request)
    sent.flushHeaders()
    for (const response of [undefined, sent]) {
      const asked = getAccessToken(request, config, { provider: "oidc" }, { response })
      await expect(asked).rejects.toMatchObject({ reason: "cannot-write" })
    }
    expect(idp.requests.token).toHaveLength(1)
  })
})
