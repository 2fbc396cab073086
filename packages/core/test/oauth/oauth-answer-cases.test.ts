import type { OIDCUserConfig } from "@latchkey/core/types"
import { type FaultName, fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { checkCookies, expectRefused, expectRestart, openStage, sendBack, strategies } from "../setup/oauth-stage.js"
import { ask, get, post, readAnswer } from "../setup/requests.js"
import { pathOf, sessionCookie } from "../setup/sign-ins.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

const formPost = { authorization: { params: { response_mode: "form_post" } } } satisfies OIDCUserConfig

describe("the authorization request", () => {
  const protocol =
    "client_id redirect_uri response_type response_mode state nonce code_challenge code_challenge_method request request_uri"

  it("OAU-11: ignores protocol parameters in the visitor's query", async () => {
    const { host } = openStage({ provider: (idp) => idp.oauthProvider() })
    const forged = new URLSearchParams(protocol.split(" ").map((name) => [name, "https://evil.test/forged"]))
    const { location } = await post(host.browser, `/auth/signin/oauth?${forged}`)
    const { origin, searchParams } = new URL(location ?? "")
    expect([origin, location?.includes("forged")]).toEqual(["https://idp.test", false])
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: "rp",
      redirect_uri: "https://app.test/auth/callback/oauth",
      response_type: "code",
    })
    for (const name of searchParams.keys()) expect(searchParams.getAll(name)).toHaveLength(1)
  })

  it("OAU-11: forwards what clients may request: login_hint, prompt, ui_locales, scope", async () => {
    const { host } = openStage({ provider: (idp) => idp.oauthProvider() })
    const asked = { login_hint: "ada", prompt: "login", ui_locales: "de", scope: "profile calendar" }
    const { location } = await post(host.browser, `/auth/signin/oauth?${new URLSearchParams(asked)}`)
    expect(Object.fromEntries(new URL(location ?? "").searchParams)).toMatchObject(asked)
  })

  it.each(["token", "id_token", "code id_token", "code token", "none", ""])(
    "OAU-55: rejects the response_type %j at startup: only the code flow is supported",
    async (response_type) => {
      const { host, adapter } = openStage({
        provider: (idp) => idp.provider({ authorization: { params: { response_type } } }),
      })
      const answer = await ask(host, "/auth/session")
      expect([answer.status, answer.json()]).toEqual([500, { message: expect.any(String) }])
      expect(host.logger.errors).toMatchObject([
        { type: "InvalidConfiguration", message: expect.stringContaining("authorization.params.response_type") },
      ])
      const begun = await ask(host, "/auth/signin/oidc", { form: { csrfToken: "x" } })
      expect([begun.status, begun.location, adapter.calls, host.events.names()]).toEqual([500, null, [], []])
    },
  )

  it("OAU-55: rejects a response_type in the endpoint's own query", async () => {
    const { host } = openStage({
      provider: (idp) => idp.oauthProvider({ authorization: "https://idp.test/authorize?response_type=token" }),
    })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
  })
})

describe.each(strategies)("the authorization response with %s sessions", (strategy) => {
  it.each<[string, FaultName, string]>([
    ["OAU-12: two codes are rejected", "code-duplicated", "CallbackRouteError"],
    ["OAU-12: a code beside an error is rejected", "code-beside-error", "OAuthCallbackError"],
    ["OAU-12: two issuers are rejected", "answer-iss-duplicated", "CallbackRouteError"],
    ["OAU-13: tokens in the response are rejected", "tokens-in-the-answer", "CallbackRouteError"],
    ["OAU-14: a signed response that was not requested is rejected", "answer-as-a-jwt", "CallbackRouteError"],
    ["OAU-15: another issuer is rejected", "answer-iss-wrong", "CallbackRouteError"],
    ["OAU-16: a missing issuer is rejected if discovery promised it", "answer-iss-missing", "CallbackRouteError"],
  ])("%s", async (_, fault, type) => {
    const stage = openStage({ strategy })
    stage.idp.faults.turnOn(fault)
    await expectRefused(stage, await stage.host.browser.signIn("oidc"), { type, tokenHits: 0 })
  })

  it("OAU-13: tokens in the response are not logged", async () => {
    const stage = openStage({ strategy })
    const back = await sendBack(stage)
    const values = { access_token: crypto.randomUUID(), id_token: `${crypto.randomUUID()}.x.y` }
    back.searchParams.delete("code")
    for (const [name, value] of Object.entries(values)) {
      back.searchParams.set(name, value)
      stage.host.canaries.watch(name, value)
    }
    await expectRefused(stage, await stage.host.browser.open(back), { type: "CallbackRouteError", tokenHits: 0 })
  })

  it("OAU-15: another issuer is also rejected with configured endpoints", async () => {
    const stage = openStage({ strategy, provider: (idp) => idp.oauthProvider() })
    stage.idp.faults.turnOn("answer-iss-wrong")
    const page = await stage.host.browser.signIn("oauth")
    await expectRefused(stage, page, { type: "CallbackRouteError", tokenHits: 0 })
  })

  it("OAU-17: each provider has its own redirect URI, and a code at the wrong one is not sent anywhere", async () => {
    const other = fakeIdentityProvider({ issuer: "https://idp2.test" })
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      session: { strategy },
      network: { [other.origin]: other.handler },
      providers: ({ idp }) => [idp.provider(), other.provider({ id: "oidc2" })],
    })
    const stage = { host, idp: host.idp, adapter, id: "oidc" }
    const [first, second] = [await sendBack(stage), await sendBack({ ...stage, idp: other, id: "oidc2" })]
    expect([first.pathname, second.pathname]).toEqual(["/auth/callback/oidc", "/auth/callback/oidc2"])
    const mixed = new URL(first)
    for (const name of ["code", "iss"]) mixed.searchParams.set(name, second.searchParams.get(name) ?? "")
    const page = await host.browser.open(mixed)
    expect(other.requests.token).toEqual([])
    await expectRefused(stage, page, { type: "CallbackRouteError", tokenHits: 0 })
  })

  it("OAU-18: a response in the query is rejected if a form was requested", async () => {
    const stage = openStage({ strategy, provider: (idp) => idp.provider(formPost) })
    stage.idp.faults.turnOn("answer-in-the-other-mode")
    await expectRefused(stage, await stage.host.browser.signIn("oidc"), { type: "InvalidProvider", tokenHits: 0 })
  })

  it("OAU-18: a form post from the provider's site works with cross-site cookies", async () => {
    const stage = openStage({ strategy, provider: (idp) => idp.provider(formPost) })
    const begun = await post(stage.host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const set = [...begun.cookies].filter(([name]) => /state|nonce|pkce/.test(name))
    expect(set.map(([, { attributes }]) => attributes)).toEqual(
      set.map(() => expect.arrayContaining(["SameSite=None", "Secure", "HttpOnly"])),
    )
    expect(set).toHaveLength(3)
    const page = await stage.host.browser.open(begun.location ?? "")
    expect(page.url.href).toBe("https://app.test/in")
    const [posted] = page.hops.filter(({ url }) => url.pathname === "/auth/callback/oidc")
    expect(posted).toMatchObject({ method: "POST" })
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it("OAU-19: a form is rejected unread if a query was requested", async () => {
    const stage = openStage({ strategy })
    const { browser } = stage.host
    const back = await sendBack(stage)
    const body = new URLSearchParams(back.search)
    const page = await browser.open(back.pathname, { method: "POST", body, from: "https://idp.test" })
    expect(checkCookies(stage.host)).toHaveLength(3)
    await expectRefused(stage, page, { type: "InvalidProvider", tokenHits: 0 })
  })

  it.each([
    ["access-denied", "access_denied"],
    ["error-with-markup", "access_denied"],
    ["error-with-line-breaks", "server_error"],
  ] as const)("OAU-20: %s ends on the sign-in page, and its text is logged on one line", async (fault, code) => {
    const stage = openStage({ strategy })
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    expect(page.url.search).toBe("?error=OAuthCallbackError")
    expect(stage.host.answers.map(({ body }) => body).join()).not.toMatch(
      /The person said no|<img src=x|a line of mine/,
    )
    const { error, error_description } = Object(stage.host.logger.errors[0]).cause
    expect([error, error_description]).toEqual([code, expect.not.stringMatching(/[\r\n<>]/)])
    expect(checkCookies(stage.host)).toEqual([])
    await expectRefused(stage, page, { type: "OAuthCallbackError", tokenHits: 0, page: "signin" })
  })

  it.each([
    ["without a state, as when the visitor cancels,", "?error=access_denied", "/auth/signin", "OAuthCallbackError"],
    ["with a wrong state", "?error=access_denied&state=forged", "/auth/error", "InvalidCheck"],
    ["with an empty state", "?error=access_denied&state=", "/auth/error", "InvalidCheck"],
  ])("OAU-21: an error %s does not affect the pending flow", async (_, query, path, type) => {
    const stage = openStage({ strategy })
    const { browser, logger } = stage.host
    const back = await sendBack(stage)
    const before = checkCookies(stage.host)
    const forged = await browser.newTab().open(`/auth/callback/oidc${query}`, { from: "https://evil.test" })
    expect([forged.url.pathname, logger.errorTypes()]).toEqual([path, [type]])
    expect(checkCookies(stage.host)).toEqual(before)
    expect((await browser.open(back)).url.href).toBe("https://app.test/in")
    expect(await browser.session()).not.toBeNull()
  })

  it("OAU-50: a callback is answered by a bare redirect that does not leak the URL with the code", async () => {
    const stage = openStage({ strategy })
    const back = await sendBack(stage)
    const answer = await readAnswer(await stage.host.browser.fetch(back))
    expect([answer.status, answer.text, answer.location]).toEqual([302, "", "https://app.test/in"])
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  })

  it("OAU-50: a rejected callback does not leak it either, and its error page loads nothing from other sites", async () => {
    const stage = openStage({ strategy })
    const back = await sendBack(stage)
    back.searchParams.set("state", "x")
    const answer = await readAnswer(await stage.host.browser.fetch(back))
    expect([answer.status, answer.text, answer.headers.get("referrer-policy")]).toEqual([302, "", "no-referrer"])
    const page = await stage.host.browser.open(answer.location ?? "")
    expect(page.url.search).not.toContain("code")
    const loaded = page
      .findAll("[src], link[href]")
      .map((element) => element.attribute("src") ?? element.attribute("href"))
    expect(loaded.filter((address) => new URL(address ?? "", page.url).origin !== page.url.origin)).toEqual([])
  })
})

describe("logout initiated by other parties is not supported", () => {
  const paths = ["backchannel-logout", "backchannel-logout/oidc", "frontchannel-logout", "logout", "callback/oidc"]
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} }
  const unsigned = (part: object) => btoa(JSON.stringify(part)).replaceAll("=", "")
  const logoutToken = `${unsigned({ alg: "none" })}.${unsigned({ iss: "https://idp.test", aud: "rp", sub: "ada-1815", events })}.`

  it.each(paths)("OAU-53: a logout token does not end a session: POST /%s", async (path) => {
    const stage = openStage()
    const { browser } = stage.host
    await expectRestart(stage)
    const answer = await ask(stage.host, `/auth/${path}`, { form: { logout_token: logoutToken } })
    expect(answer.status).not.toBe(200)
    expect(answer.headers.get("cache-control") ?? "no-store").toContain("no-store")
    expect(answer.text).not.toContain(logoutToken)
    expect(await browser.session()).not.toBeNull()
    expect(stage.adapter.calls.map(({ method }) => method)).not.toContain("deleteSession")
  })

  it.each([
    ["without a state", ""],
    ["with another state", "?state=forged"],
    ["to a foreign address", "?state=forged&post_logout_redirect_uri=https://evil.test"],
  ])("OAU-54: there is no endpoint for the return from a logout at the provider %s", async (_, query) => {
    const stage = openStage()
    await expectRestart(stage)
    for (const path of ["logout", "signout/callback", "post-logout"]) {
      const answer = await get(stage.host.browser, `/auth/${path}${query}`)
      expect([answer.status, answer.location]).toEqual([400, null])
    }
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it("OAU-54: signing out does not call the provider, and ends at our own origin", async () => {
    const stage = openStage()
    await expectRestart(stage)
    const asked = stage.idp.requests.authorization.length
    const answer = await post(stage.host.browser, "/auth/signout", { callbackUrl: "https://evil.test/" })
    expect([pathOf(answer.location), new URL(answer.location ?? "").origin]).toEqual(["/", "https://app.test"])
    expect([stage.idp.requests.authorization.length, stage.host.browser.cookies.get(sessionCookie)]).toEqual([
      asked,
      undefined,
    ])
  })
})
