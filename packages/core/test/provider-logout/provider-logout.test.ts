import { type ProviderLogoutOptions, providerLogout } from "@latchkey/core/provider-logout"
import { createBrowser } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { passTime } from "../setup/fake-timers.js"
import { openHost } from "../setup/hosts.js"
import { type LogoutHost, openLogoutHost, readClaims } from "../setup/logout-setup.js"
import { get, post, readAnswer } from "../setup/requests.js"
import { cookiesOf, endById, listOf, strategies } from "../setup/tracked-setup.js"

const always: ProviderLogoutOptions = { atProvider: true }

const hintOf = ({ host }: LogoutHost) => host.browser.cookies.get("__Host-authjs.hint")
const lastAsked = ({ idp }: LogoutHost) => Object.fromEntries(idp.requests.logout.at(-1)?.params ?? [])

describe.each(strategies)("a sign-out at the provider, with %s sessions", (strategy) => {
  it("ends the local session, then the provider's with this session's own ID token, and returns to the target", async () => {
    const opened = openLogoutHost(strategy, { logout: always })
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    // Another browser of the same user signs in later: its ID token is that of the account.
    await host.newBrowser().signIn("oidc")
    expect(opened.lastAtProvider().sid).not.toBe(sid)
    const stolen = cookiesOf(host.browser)
    const page = await host.browser.signOut({ callbackUrl: "/bye" })
    expect(page.url.href).toBe("https://app.test/bye")
    const { id_token_hint: hint = "", state, ...others } = lastAsked(opened)
    expect(others).toEqual({ client_id: "rp", post_logout_redirect_uri: "https://app.test/auth/signed-out" })
    expect(readClaims(hint)["sid"]).toBe(sid)
    expect(state).toMatch(/^[\w-]{22}$/)
    expect(idp.requests.logout).toHaveLength(1)
    if (strategy === "database") expect((await opened.newProcess()("/auth/session", stolen)).text).toBe("null")
    expect(await host.browser.session()).toBeNull()
    expect(host.browser.cookies.names().filter((name) => /hint|leaving|session/.test(name))).toEqual([])
    expect(host.events.of("signOut")).toHaveLength(1)
    expect(host.logger.errors).toEqual([])
  })

  it.each([
    [true, undefined, 1],
    [true, "false", 0],
    [true, "true", 1],
    ["ask", undefined, 0],
    ["ask", "false", 0],
    ["ask", "true", 1],
    [undefined, undefined, 0],
    [undefined, "true", 1],
    [false, "true", 0],
  ] as const)("with atProvider %s and the call's %s asks the provider %i times", async (option, call, times) => {
    const opened = openLogoutHost(strategy, { logout: option === undefined ? {} : { atProvider: option } })
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    await host.browser.signOut({ callbackUrl: "/bye", ...(call && { atProvider: call }) })
    expect(idp.requests.logout).toHaveLength(times)
    expect(host.browser.page?.url.pathname).toBe("/bye")
    expect(await host.browser.session()).toBeNull()
    expect(hintOf(opened)).toBeUndefined()
  })

  it("clears its cookie when the current session is ended in the list, which does not lead to the provider", async () => {
    const opened = openLogoutHost(strategy, { logout: always })
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    expect(hintOf(opened)).toBeDefined()
    const [current] = await listOf(host.browser)
    expect((await endById(host.browser, String(current?.id))).status).toBe(200)
    expect(host.browser.cookies.names().filter((name) => /hint|leaving|session/.test(name))).toEqual([])
    expect([idp.requests.logout.length, host.events.of("signOut").length]).toEqual([0, 1])
  })

  it.each([
    ["cannot be reached", () => Promise.reject(new TypeError("fetch failed"))],
    ["answers 500", async () => new Response("broken", { status: 500 })],
    ["never answers", () => new Promise<Response>(() => {})],
  ])("LOUT-06: is over here although the provider's discovery document %s", async (_, answer) => {
    let isDown = false
    const opened: LogoutHost = openLogoutHost(strategy, {
      logout: always,
      // Endpoints of its own, so that the sign-in needs no discovery document.
      provider: {
        authorization: "https://idp.test/authorize",
        token: "https://idp.test/token",
        jwks_endpoint: "https://idp.test/jwks",
      },
      fetch: (real) => (input, init) => (isDown ? answer() : real(input, init)),
    })
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    isDown = true
    const page = await passTime(host.browser.signOut({ callbackUrl: "/bye" }))
    expect(page.url.href).toBe("https://app.test/bye")
    expect([await host.browser.session(), idp.requests.logout]).toEqual([null, []])
    expect(host.logger.errors).toMatchObject([{ type: "SignOutError", cause: { provider: "oidc" } }])
    expect(host.leaks()).toEqual([])
  })

  it("LOUT-06: is over here although the user never comes back from the provider", async () => {
    const { host } = openLogoutHost(strategy, { logout: always })
    await host.browser.signIn("oidc")
    const answer = await post(host.browser, "/auth/signout", { callbackUrl: "/bye" })
    expect(answer.location).toMatch(/^https:\/\/idp\.test\/logout\?/)
    expect(await host.browser.session()).toBeNull()
  })

  it("LOUT-05: needs the CSRF token: a form of another site signs out nowhere", async () => {
    const { host, idp } = openLogoutHost(strategy, { logout: always })
    await host.browser.signIn("oidc")
    const forged = new Request("https://app.test/auth/signout", {
      method: "POST",
      headers: { origin: "https://evil.test", cookie: cookiesOf(host.browser) },
      body: new URLSearchParams({ csrfToken: "guessed" }),
    })
    const answer = await readAnswer(await host.handler(forged))
    expect(answer.location).toContain("MissingCSRF")
    expect(await host.browser.session()).not.toBeNull()
    expect(idp.requests.logout).toEqual([])
  })

  it("LOUT-04: leads no further than any callback URL, whatever the form, the query or the provider's answer say", async () => {
    const { host } = openLogoutHost(strategy, { logout: always })
    const { browser } = host
    await browser.signIn("oidc")
    expect((await browser.signOut({ callbackUrl: "https://evil.test/in" })).url.origin).toBe("https://app.test")
    await browser.signIn("oidc")
    const { location } = await post(browser, "/auth/signout", { callbackUrl: "/bye" })
    const back = new URL("https://app.test/auth/signed-out")
    back.searchParams.set("state", new URL(location ?? "").searchParams.get("state") ?? "")
    for (const name of ["target", "redirectTo", "post_logout_redirect_uri", "url"]) {
      back.searchParams.set(name, "https://evil.test/in")
    }
    expect((await get(browser, `${back.pathname}${back.search}`)).location).toBe("https://app.test/bye")
  })

  it("LOUT-04: asks the redirect policy again when the user comes back, since it may have changed", async () => {
    let isAllowed = true
    const opened = openLogoutHost(strategy, {
      logout: always,
      config: { callbacks: { redirect: ({ url, baseUrl }) => (isAllowed ? url : baseUrl) } },
    })
    const { browser } = opened.host
    await browser.signIn("oidc")
    const { location } = await post(browser, "/auth/signout", { callbackUrl: "https://other.test/bye" })
    const state = new URL(location ?? "").searchParams.get("state")
    isAllowed = false
    expect((await get(browser, `/auth/signed-out?state=${state}`)).location).toBe("https://app.test")
  })

  it("LOUT-04: leads to the start page with another state, without one, twice, and in a browser that did not leave", async () => {
    const { host } = openLogoutHost(strategy, { logout: always })
    const { browser } = host
    await browser.signIn("oidc")
    const { location } = await post(browser, "/auth/signout", { callbackUrl: "/bye" })
    const state = new URL(location ?? "").searchParams.get("state")
    const start = "https://app.test"
    expect((await get(browser, "/auth/signed-out?state=another")).location).toBe(start)
    expect((await get(browser, "/auth/signed-out")).location).toBe(start)
    expect((await get(host.newBrowser(), `/auth/signed-out?state=${state}`)).location).toBe(start)
    expect((await get(browser, `/auth/signed-out?state=${state}`)).location).toBe(`${start}/bye`)
    expect((await get(browser, `/auth/signed-out?state=${state}`)).location).toBe(start)
  })

  it("stays local for a session that began without a provider, and clears the hint of the previous session", async () => {
    const opened = openLogoutHost(strategy, { logout: always })
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    expect(hintOf(opened)).toBeDefined()
    await opened.signIn("vera", host.browser)
    expect(hintOf(opened)).toBeUndefined()
    await host.browser.signOut()
    expect(idp.requests.logout).toEqual([])
  })
})

describe("the request to the provider", () => {
  it("has the user in place of an ID token that is too large for a cookie", async () => {
    const opened = openLogoutHost("database", { logout: always })
    const { host, idp } = opened
    idp.faults.turnOn({ idTokenClaims: (claims) => ({ ...claims, groups: "g".repeat(4000) }) })
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    const asked = lastAsked(opened)
    expect(asked).toMatchObject({ client_id: "rp", logout_hint: "ada-1815" })
    expect(asked).not.toHaveProperty("id_token_hint")
    expect(host.browser.page?.url.origin).toBe("https://app.test")
  })

  it("has the user in place of an ID token that would not fit beside a large session", async () => {
    const roles = Array.from({ length: 550 }, (_, index) => `role-${index}`)
    const config = { callbacks: { jwt: ({ token }: { token: object }) => ({ ...token, roles }) } }
    const opened = openLogoutHost("jwt", { logout: always, config })
    opened.idp.faults.turnOn({ idTokenClaims: (claims) => ({ ...claims, groups: "g".repeat(1200) }) })
    await opened.host.browser.signIn("oidc")
    expect(opened.host.browser.cookies.names().filter((name) => /session-token/.test(name)).length).toBeGreaterThan(1)
    await opened.host.browser.signOut()
    expect(lastAsked(opened)).toMatchObject({ client_id: "rp", logout_hint: "ada-1815" })
    expect(lastAsked(opened)).not.toHaveProperty("id_token_hint")
    expect(await opened.host.browser.session()).toBeNull()
  })

  it("has the parameters of a provider with its own, and returns by the cookie alone where there is no state", async () => {
    const params = {
      id_token_hint: null,
      post_logout_redirect_uri: null,
      state: null,
      logout_uri: "{post_logout_redirect_uri}",
      user: "{claim:email}",
      unknown: "{claim:login_hint}",
      federated: "",
    }
    const seen: string[] = []
    const logout = {
      url: "https://idp.test/logout?tenant=1",
      params,
      request: ({ url }: { readonly url: URL }) => {
        seen.push(url.href)
        url.searchParams.set("post_logout_redirect_uri", url.searchParams.get("logout_uri") ?? "")
        return url
      },
    }
    const opened = openLogoutHost("jwt", { logout: always, provider: { logout } })
    const { browser } = opened.host
    await browser.signIn("oidc")
    expect((await browser.signOut({ callbackUrl: "/bye" })).url.pathname).toBe("/bye")
    const back = "https://app.test/auth/signed-out"
    expect(Object.fromEntries(new URL(seen[0] ?? "").searchParams)).toEqual({
      tenant: "1",
      client_id: "rp",
      logout_uri: back,
      user: "ada@example.com",
      federated: "",
    })
  })

  it("has the user, and never an ID token, at a plain OAuth provider with a sign-out page", async () => {
    const { browser, idp } = openHost({
      providers: (parts) => [parts.idp.oauthProvider({ logout: "https://idp.test/logout" })],
      providerLogout: providerLogout(always),
    })
    idp.faults.turnOn({ tokens: (tokens) => ({ ...tokens, id_token: "not.verified.here" }) })
    await browser.signIn("oauth")
    expect((await browser.signOut({ callbackUrl: "/bye" })).url.pathname).toBe("/bye")
    const asked = Object.fromEntries(idp.requests.logout[0]?.params ?? [])
    expect(asked).toMatchObject({ client_id: "rp", logout_hint: "ada-1815" })
    expect(asked).not.toHaveProperty("id_token_hint")
  })

  it.each([
    ["has none", undefined, 0],
    ["is no URL", "javascript:alert(1)", 1],
    ["is plain http", "http://idp.test/logout", 1],
    ["has a password", "https://a:b@idp.test/logout", 1],
  ])("stays away if the end-session endpoint in the discovery document %s", async (_, endpoint, errors) => {
    const opened = openLogoutHost("jwt", { logout: always, idp: { metadata: { end_session_endpoint: endpoint } } })
    const { host } = opened
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect((await host.browser.signOut({ callbackUrl: "/bye" })).url.pathname).toBe("/bye")
    expect(await host.browser.session()).toBeNull()
    expect(host.logger.errors).toHaveLength(errors)
  })

  it("works without an adapter, and as JSON for a script that asks for the URL", async () => {
    const { browser } = openHost({ providerLogout: providerLogout(always) })
    await browser.signIn("oidc")
    const form = { csrfToken: await browser.csrfToken(), callbackUrl: "/bye" }
    const response = await browser.fetch("/auth/signout", {
      method: "POST",
      body: new URLSearchParams(form),
      headers: { "x-auth-return-redirect": "1" },
    })
    expect([response.status, await response.json()]).toEqual([
      200,
      { url: expect.stringMatching(/^https:\/\/idp\.test\/logout\?id_token_hint=/) },
    ])
  })

  it("keeps no hint and answers no route while the option is missing", async () => {
    const { browser, handler, idp } = openHost()
    await browser.signIn("oidc")
    expect(browser.cookies.names()).not.toContain("__Host-authjs.hint")
    await browser.signOut({ atProvider: "true" })
    expect(idp.requests.logout).toEqual([])
    const stranger = createBrowser({ handler })
    expect((await get(stranger, "/auth/signed-out")).status).toBe(400)
  })
})
