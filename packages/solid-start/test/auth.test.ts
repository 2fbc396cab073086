import { Auth } from "@latchkey/core"
import { accessTokens } from "@latchkey/core/access-tokens"
import { createBrowser, fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { integrationConfig, integrationUser, testUserAuth } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { auth, getSession, SolidAuth } from "../src/index.js"
import { origin, streamed } from "./events.js"

/** SolidStart adds the headers of its own response to that of a server function. */
function withHeaders(answer: Response | null, headers: Headers): Response {
  const sent = new Response(answer?.body, { status: answer?.status ?? 200, headers })
  for (const [name, value] of answer?.headers ?? []) {
    if (name === "set-cookie") sent.headers.append(name, value)
    else sent.headers.set(name, value)
  }
  return sent
}

describe("auth in SolidStart", () => {
  testUserAuth(({ basePath: prefix = "/auth", ...given }, route) => {
    const config = { ...given, prefix }
    const { GET, POST } = SolidAuth(config)
    async function handler(request: Request): Promise<Response> {
      const event = { request, clientAddress: "192.0.2.1", response: { headers: new Headers() } }
      if (new URL(request.url).pathname !== "/form") {
        const service = request.method === "POST" ? POST : GET
        return (await service(event)) ?? new Response(null, { status: 404 })
      }
      return withHeaders(await route(auth(event, config)), event.response.headers)
    }
    return { origin, handler }
  })

  it("throws for an action without a response, and reads a session without its cookie", async () => {
    const { basePath: _, ...config } = integrationConfig()
    const request = new Request(`${origin}/page`, { method: "POST", headers: { origin } })
    const { username, password } = integrationUser
    const signIn = auth(request, config).signIn({ providerId: "credentials", fields: { username, password } })
    await expect(signIn).rejects.toThrow("Pass getRequestEvent()")
    expect(await auth(request, config).getSession()).toBeNull()
    expect(auth(request, config)).toBe(auth(request, config))
  })

  it("KEEP-05: refresh no token that is kept in a cookie once the stream of a page has begun", async () => {
    using clock = fixedClock(new Date())
    const idp = fakeIdentityProvider()
    const tokens = accessTokens({ keep: "cookie" })
    const { basePath: _, ...given } = { ...integrationConfig(), providers: [idp.provider()], accessTokens: tokens }
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
    const asked = auth(event, config).getAccessToken({ provider: "oidc" })
    await expect(asked).rejects.toMatchObject({ reason: "cannot-write" })
    expect(await getSession(event, config)).not.toBeNull()
    expect([idp.requests.token.length, [...response.headers]]).toEqual([1, []])
    const early = streamed({ request, response }).event
    expect(await auth(early, config).getAccessToken({ provider: "oidc" })).toMatchObject({ tokenType: "bearer" })
    expect([idp.requests.token.length, response.headers.getSetCookie().length > 0]).toEqual([2, true])
  })
})
