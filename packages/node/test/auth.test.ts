import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { createBrowser, fakeIdentityProvider, fixedClock, overHttp } from "@latchkey/testkit"
import { integrationConfig, testUserAuth } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { auth, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { serve } from "./serve.js"

describe("auth on node:http", () => {
  testUserAuth(
    async (config, route) => {
      const handler = toNodeHandler(config)
      const { origin } = await serve(async (req, res) => {
        if (!req.url?.startsWith("/form")) return await handler(req, res)
        const answer = await route(auth(req, res, config))
        if (!answer) return
        for (const line of answer.headers.getSetCookie()) res.appendHeader("set-cookie", line)
        res.end(await answer.text())
      })
      return { origin, handler: overHttp }
    },
    { needsOrigin: false },
  )

  it("getAccessToken refreshes no token that is kept in a cookie after the headers were sent", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = accessTokens({ keep: "cookie" })
    const config = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], accessTokens: tokens }
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
    const asked = auth(request, sent, config).getAccessToken({ provider: "oidc" })
    await expect(asked).rejects.toMatchObject({ reason: "cannot-write" })
    expect(idp.requests.token).toHaveLength(1)
  })

  it("getSession returns the session after the headers were sent, without its renewed cookie", async () => {
    const config = testConfig()
    const { origin } = await serve(async (req, res) => {
      res.flushHeaders()
      res.end(JSON.stringify(await auth(req, res, config).getSession()))
    })
    const response = await fetch(origin, { headers: { cookie: "authjs.session-token=forged" } })
    expect([await response.json(), response.headers.getSetCookie()]).toEqual([null, []])
  })

  it("is bound once for each request and configuration", () => {
    const config = testConfig()
    const request = new IncomingMessage(new Socket())
    const response = new ServerResponse(request)
    expect(auth(request, response, config)).toBe(auth(request, response, config))
    expect(auth(request, response, testConfig())).not.toBe(auth(request, response, config))
  })
})
