import { accessTokens } from "@latchkey/core/access-tokens"
import { expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { fixedClock } from "../time/fixed-clock.js"
import type { OpenApp } from "./form-app.js"
import { integrationConfig } from "./server-under-test.js"
import { type OpenedApp, openApp, toCookieHeader, type Visitor } from "./visitors.js"

interface Connected {
  readonly idp: FakeIdentityProvider
  readonly app: OpenedApp
}

async function openConnected(open: OpenApp, keep: "cookie" | "account"): Promise<Connected> {
  const idp = fakeIdentityProvider()
  const tokens = keep === "cookie" ? accessTokens({ keep }) : accessTokens()
  const given = { ...integrationConfig(), basePath: "/auth", providers: [idp.provider()], accessTokens: tokens }
  return { idp, app: await openApp(open, { ...given, adapter: memoryAdapter() }) }
}

/** Registers the tests of `getAccessToken`. */
export function testAccessTokens(open: OpenApp): void {
  it("getAccessToken returns an access token of the user's provider, which is refreshed when it is due", async () => {
    using clock = fixedClock(new Date())
    const { idp, app } = await openConnected(open, "account")
    const browser = app.browser({ [idp.origin]: idp.handler })
    await browser.signIn("oidc", { callbackUrl: `${app.origin}/auth/session` })
    const user = app.visitor({ cookie: toCookieHeader(browser) })
    const refused = { type: "AccessTokenUnavailable", reason: "signed-out" }
    await expect(app.visitor({}).getAccessToken({ provider: "oidc" })).rejects.toMatchObject(refused)
    const first = await user.getAccessToken({ provider: "oidc" })
    expect(idp.issued.map(({ value }) => value)).toContain(first.accessToken)
    expect(await user.getAccessToken({ provider: "oidc" })).toEqual(first)
    clock.advance({ hours: 2 })
    const { accessToken } = await user.getAccessToken({ provider: "oidc" })
    expect([accessToken === first.accessToken, idp.requests.token.length]).toEqual([false, 2])
  })

  it("KEEP-05: getAccessToken keeps a token in a cookie, which the response that refreshed it sets", async () => {
    using clock = fixedClock(new Date())
    const { idp, app } = await openConnected(open, "cookie")
    const browser = app.browser({ [idp.origin]: idp.handler })
    await browser.signIn("oidc", { callbackUrl: `${app.origin}/auth/session` })
    const visitor = () => app.visitor({ cookie: toCookieHeader(browser) })
    const user = visitor()
    const first = await user.getAccessToken({ provider: "oidc" })
    expect(listTokenCookies(user)).toEqual([])
    clock.advance({ hours: 2 })
    const second = await user.getAccessToken({ provider: "oidc" })
    const [cookie = "", ...others] = listTokenCookies(user)
    expect([second.accessToken === first.accessToken, others]).toEqual([false, []])
    expect(cookie).toMatch(/; Path=\/; HttpOnly(?:; Secure)?; SameSite=Lax$/i)
    const late = visitor()
    expect([await late.getAccessToken({ provider: "oidc" }), listTokenCookies(late)]).toEqual([second, []])
    const [pair = ""] = cookie.split(";")
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    clock.advance({ minutes: 2 })
    expect([await visitor().getAccessToken({ provider: "oidc" }), idp.requests.token.length]).toEqual([second, 2])
  })
}

const listTokenCookies = (user: Visitor): readonly string[] =>
  user.setCookies().filter((line) => line.includes("authjs.tokens."))
