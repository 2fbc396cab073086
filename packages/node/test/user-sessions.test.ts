import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http"
import { type AddressInfo, Socket } from "node:net"
import { Auth } from "@latchkey/core"
import type { FreshSession } from "@latchkey/core/sessions"
import { keepTokens } from "@latchkey/core/tokens"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  signOutEverywhere,
} from "../src/index.js"

describe("The functions for a signed-in user on node:http", () => {
  testSessionFunctions(({ config, sent }) => {
    const request = new IncomingMessage(new Socket())
    Object.assign(request.headers, { ...sent, host: "app.test" })
    request.rawHeaders = [...Object.entries(sent).flat(), "host", "app.test"]
    const response = new ServerResponse(request)
    return {
      listSessions: () => listSessions(request, config),
      endSession: (id) => endSession(request, () => config, id),
      endOtherSessions: () => endOtherSessions(request, config),
      signOutEverywhere: (userId) => signOutEverywhere(config, userId),
      async requireFresh(options) {
        let session: FreshSession | null = null
        const server = createServer(async (req, res) => {
          session = await requireFresh({ req, res, config }, options)
          if (session) res.end()
        })
        const answer = await fetch(await listen(server), { headers: sent })
        server.close()
        return session ?? answer
      },
      getAccessToken: (options) => getAccessToken(request, config, options, { response }),
      setCookies: () => [response.getHeader("set-cookie") ?? []].flat().map(String),
    }
  })

  it("refresh no token that is kept in a cookie without a response, nor after its headers were sent", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = keepTokens({ keep: "cookie" })
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

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
