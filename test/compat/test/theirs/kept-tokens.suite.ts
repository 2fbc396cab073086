import { AccessTokenUnavailable, accessTokens, disconnectAccount, getAccessToken } from "@latchkey/core/access-tokens"
import type { AuthConfig } from "@latchkey/core/types"
import { type Browser, fixedClock, testHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import type { TheirStore } from "./their-store.js"

/** Tests the tokens of providers with a published adapter, which cannot hold them: they are kept in cookies. */
export function testKeptTokens(store: () => TheirStore): void {
  describe.each(["jwt", "database"] as const)("provider tokens in cookies with %s sessions", (strategy) => {
    function open() {
      const { adapter } = store()
      const host = testHost({
        adapter,
        session: { strategy },
        rateLimit: false,
        accessTokens: accessTokens({ keep: "cookie" }),
        app: (request) => answerPage(request, host.config),
        providers: ({ idp }) => [idp.provider()],
      })
      const ask = async (browser: Browser) => (await (await browser.fetch("/token")).json()) as PageAnswer
      return { host, ask, adapter }
    }

    it("KEEP-01, KEEP-05: are refreshed once for 20 callers, and set by the response that refreshed them", async () => {
      const { host, ask } = open()
      await host.browser.signIn("oidc")
      using clock = fixedClock(new Date())
      const first = await ask(host.browser)
      clock.advance({ hours: 2 })
      const cookie = host.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
      const request = () => new Request("https://app.test/token", { headers: { cookie: cookie.join("; ") } })
      const responses = await Promise.all(Array.from({ length: 20 }, () => host.handler(request())))
      const answers = (await Promise.all(responses.map((response) => response.json()))) as PageAnswer[]
      const found = new Set(answers.map(({ expiresAt, reason }) => reason ?? expiresAt))
      expect([found.size, found.has(first.expiresAt)]).toEqual([1, false])
      expect(responses.filter((response) => response.headers.getSetCookie().length > 0)).toHaveLength(1)
      expect(host.idp.requests.token).toHaveLength(2)
      expect(host.logger.errors).toEqual([])
    })

    it("KEEP-04: are not refreshed after the account was removed", async () => {
      const { host, ask, adapter } = open()
      await host.browser.signIn("oidc")
      using clock = fixedClock(new Date())
      await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
      clock.advance({ hours: 2 })
      expect(await ask(host.browser)).toEqual({ reason: "no-account" })
      expect(host.idp.requests.token).toHaveLength(1)
    })

    it("leave the browser when the account is unlinked", async () => {
      const { host, ask, adapter } = open()
      await host.browser.signIn("oidc")
      expect((await host.browser.fetch("/unlink")).status).toBe(200)
      expect(await adapter.getUserByAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })).toBeNull()
      expect(await ask(host.browser)).toEqual({ reason: "no-account" })
    })
  })
}

interface PageAnswer {
  readonly expiresAt?: string
  readonly reason?: string
}

/** Shows when the token expires. The token itself stays on the server. */
async function answerPage(request: Request, config: Omit<AuthConfig, "raw">): Promise<Response> {
  const headers = new Headers()
  const options = { provider: "oidc", headers }
  try {
    if (request.url.endsWith("/unlink"))
      return new Response(JSON.stringify(await disconnectAccount(request, config, options)), { headers })
    const { expiresAt } = await getAccessToken(request, config, options)
    return new Response(JSON.stringify({ expiresAt }), { headers })
  } catch (error) {
    if (!(error instanceof AccessTokenUnavailable)) throw error
    return new Response(JSON.stringify({ reason: error.reason }), { status: 503, headers })
  }
}
