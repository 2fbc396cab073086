import { Auth } from "@latchkey/core"
import { nativeApps } from "@latchkey/core/native-apps"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { begin, clients, consent, iosUri, openConsent, openNative, read } from "../setup/native-setup.js"
import { ask } from "../setup/requests.js"
import { openFactors } from "../setup/second-factor-setup.js"
import { cookiesOf, strategies } from "../setup/tracked-setup.js"

describe("the address that an app gets its code at", () => {
  it.each([
    ["an unknown client", { client_id: "other" }],
    ["no client", { client_id: null }],
    ["the client of another app", { client_id: "desktop" }],
    ["a foreign address", { redirect_uri: "https://evil.example/callback" }],
    ["an address below", { redirect_uri: `${iosUri}/more` }],
    ["an address of the same scheme", { redirect_uri: "com.example.app:/other" }],
    ["a script", { redirect_uri: "javascript:alert(1)" }],
    ["no address", { redirect_uri: null }],
  ])("NAT-01: nothing is sent anywhere with %s", async (_, changes) => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const answer = await ask(native.host, begin(changes).path, { cookie: cookiesOf(browser) })
    expect([answer.status, answer.location]).toEqual([400, null])
    expect(answer.text).toContain("This link does not work")
    for (const value of Object.values(changes)) if (value) expect(answer.text).not.toContain(`${value}"`)
  })

  it.each([
    [{ client_id: "io\ns" }, /client_id: "io\\ns" is not the id of a client in nativeApps: ios, /],
    [
      { redirect_uri: "com.example.app:/other" },
      /redirect_uri: "com\.example\.app:\/other" is not one of the redirectUris of the client ios in nativeApps: com\.example\.app:\/callback/,
    ],
  ])("NAT-01: a page names the mistake in %j to a developer, and to no one in production", async (changes, reason) => {
    for (const [mode, isShown] of [
      ["development", true],
      ["production", false],
    ] as const) {
      vi.stubEnv("NODE_ENV", mode)
      const { host } = openNative()
      const url = `http://localhost:3000${begin(changes).path}`
      const answer = await Auth(new Request(url, { headers: { accept: "text/html" } }), {
        ...host.config,
        rateLimit: false,
      })
      const text = (await answer.text()).replaceAll("&quot;", '"')
      expect([answer.status, answer.headers.get("location"), reason.test(text)]).toEqual([400, null, isShown])
      expect(text).toContain("This link does not work")
      expect(host.logger.errors.at(-1)?.message).toMatch(reason)
    }
    vi.unstubAllEnvs()
  })

  it.each(["client_id", "redirect_uri"])("NAT-01: nothing is sent anywhere with two values of %s", async (name) => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const { path } = begin()
    for (const changed of [`${path}&${name}=x`, path.replace("?", `?${name}=x&`)]) {
      const answer = await ask(native.host, changed, { cookie: cookiesOf(browser) })
      expect([answer.status, answer.location]).toEqual([400, null])
    }
  })

  it.each([
    ["no challenge", { code_challenge: null }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["no method, which means plain", { code_challenge_method: null }, "invalid_request"],
    ["the method plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["no state", { state: null }, "invalid_request"],
    ["a state that can be guessed", { state: "1" }, "invalid_request"],
    ["a token in place of a code", { response_type: "token" }, "unsupported_response_type"],
  ])("NAT-03: gets an error and no code with %s", async (_, changes, error) => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const page = await browser.open(begin(changes).path)
    expect(page.url.href.startsWith(iosUri)).toBe(true)
    expect(read(page.url)).toMatchObject({ error, iss: "https://app.test/auth" })
    expect(page.url.searchParams.has("code")).toBe(false)
  })

  it("NAT-03: gets an error and no code with a parameter that is sent twice", async () => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const page = await browser.open(`${begin().path}&code_challenge_method=plain`)
    expect([page.url.searchParams.get("error"), page.url.searchParams.has("code")]).toEqual(["invalid_request", false])
  })

  it("NAT-11: gets the state unchanged and the issuer, so that an app can tell services apart", async () => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const flow = begin({ state: "a+b/c=&d#e?f~%20" })
    const answer = read(await consent(browser, flow))
    expect([answer["state"], answer["iss"]]).toEqual([flow.state, "https://app.test/auth"])
  })
})

describe.each(strategies)("the page that asks, with sessions of strategy %s", (strategy) => {
  it("NAT-29: writes no session cookie, since any site can open it, and its answer may be late", async () => {
    const native = openNative(strategy)
    const cookie = cookiesOf(await native.signIn("ada"))
    const answers = [
      await ask(native.host, begin().path, { cookie }),
      await ask(native.host, begin().path, { cookie: cookie.replace(/(session-token=).{8}/, "$1xxxxxxxx") }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 302])
    const names = answers.flatMap(({ cookies }) => [...cookies.keys()])
    expect(names.filter((name) => name.includes("session-token"))).toEqual([])
  })

  it("NAT-12: no code is given without it, although the user is signed in", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const page = await openConsent(browser)
    expect([page.status, page.url.pathname, page.url.protocol]).toEqual([200, "/auth/native", "https:"])
    expect(page.find("h1")?.text).toBe("Sign in to Example for iOS?")
  })

  it("NAT-12: a visitor who is signed out is led to the sign-in page, and gets no code there", async () => {
    const native = openNative(strategy)
    const browser = native.host.newBrowser()
    const page = await openConsent(browser)
    expect([page.url.pathname, page.url.searchParams.has("code")]).toEqual(["/auth/signin", false])
  })

  it("NAT-13: cannot be answered by another site", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const { fields } = (await openConsent(browser)).form()
    const cookie = cookiesOf(browser)
    const forms = [
      { form: { ...fields, csrfToken: "" }, headers: {} },
      { form: { ticket: fields["ticket"] ?? "", choice: "continue" }, headers: {} },
      { form: fields, headers: { origin: "https://evil.example" } },
    ]
    for (const sent of forms) {
      const answer = await ask(native.host, "/auth/native", { cookie, ...sent })
      expect(answer.location ?? "").not.toContain("code=")
      expect(answer.location ?? "").not.toContain(iosUri)
    }
    const answer = await ask(native.host, "/auth/native", { cookie, form: fields })
    expect(answer.location).toContain("code=")
  })

  it("NAT-13: cannot be answered with the question that another user got", async () => {
    const native = openNative(strategy)
    const thief = await native.signIn("eve")
    const { fields: planted } = (await openConsent(thief)).form()
    const browser = await native.signIn("ada")
    const { fields } = (await openConsent(browser)).form()
    const form = { ...fields, ticket: planted["ticket"] ?? "" }
    const answer = await ask(native.host, "/auth/native", { cookie: cookiesOf(browser), form })
    expect(answer.location).toMatch(/^https:\/\/app\.test\/auth\/native\?/)
    expect(answer.location).not.toContain("code=")
  })

  it("NAT-13: asks again if another user has signed in meanwhile", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const { fields } = (await openConsent(browser)).form()
    await native.signIn("grace", browser)
    const page = await browser.open("/auth/native", { body: new URLSearchParams(fields) })
    const again = page.url.pathname === "/auth/native" && page.text().includes("grace@corp.test")
    expect([again, page.url.protocol]).toEqual([true, "https:"])
  })

  it("NAT-14: no script gets a code, not even one of the app's own site, and no frame", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const page = await openConsent(browser)
    expect(page.headers.get("x-frame-options")).toBe("DENY")
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect((await browser.fetch(begin().path)).status).toBe(400)
    const { fields } = page.form()
    const cookie = cookiesOf(browser)
    const headers = [
      { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
      { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      { "x-auth-return-redirect": "1" },
    ]
    for (const sent of headers) {
      const answer = await ask(native.host, "/auth/native", { cookie, form: fields, headers: sent })
      expect([answer.status, answer.location, answer.text.includes("code=")]).toEqual([400, null, false])
    }
    const asJson = await ask(native.host, "/auth/native", { cookie, form: { ...fields, json: "true" } })
    expect(asJson.text).not.toContain("code=")
  })

  it("NAT-14: no script gets a code from a window that it has opened", async () => {
    const native = openNative(strategy, {
      nativeApps: nativeApps({ clients: [{ id: "web", name: "App", redirectUris: ["https://app.test/native"] }] }),
    })
    const browser = await native.signIn("ada")
    const own = begin({ client_id: "web", redirect_uri: "https://app.test/native" })
    const answer = await ask(native.host, own.path, { cookie: cookiesOf(browser) })
    expect([answer.status, answer.location]).toEqual([400, null])
    const page = await openConsent(await openNative(strategy).signIn("ada"))
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin")
  })

  it("NAT-15: leads only to the app, and keeps the code out of caches and referrers", async () => {
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    const page = await openConsent(browser)
    expect(page.headers.get("content-security-policy")).toMatch(/form-action 'self' com\.example\.app:(?:;|$)/)
    const answered = await browser.submit("form")
    const headers = answered.hops.at(-2)?.headers
    expect([headers?.get("referrer-policy"), headers?.get("cache-control")]).toEqual(["no-referrer", "no-store"])
  })
})

describe("the question that the page asks", () => {
  it("NAT-13: is answered within ten minutes", async () => {
    using clock = fixedClock()
    const native = openNative()
    const browser = await native.signIn("ada")
    await openConsent(browser)
    clock.advance({ minutes: 11 })
    const page = await browser.submit("form")
    expect([page.status, page.url.protocol]).toEqual([400, "https:"])
  })

  it("NAT-13: cannot be made up, or be another sealed value", async () => {
    const native = openNative()
    const browser = await native.signIn("ada")
    const { fields } = (await openConsent(browser)).form()
    const cookie = cookiesOf(browser)
    const session = browser.cookies.get("__Secure-authjs.session-token") ?? ""
    for (const ticket of ["", "x", "a.b.c.d.e", session]) {
      const answer = await ask(native.host, "/auth/native", { cookie, form: { ...fields, ticket } })
      expect([answer.status, answer.location]).toEqual([400, null])
    }
  })

  it("NAT-13: is not asked for an app that is gone", async () => {
    const secret = "one secret of at least thirty-two characters"
    const native = openNative("jwt", { secret })
    const other = openNative("jwt", { secret, nativeApps: nativeApps({ clients: clients.slice(1) }) })
    const browser = await native.signIn("ada")
    const { fields } = (await openConsent(browser)).form()
    const answer = await ask(other.host, "/auth/native", { cookie: cookiesOf(browser), form: fields })
    expect([answer.status, answer.location]).toEqual([400, null])
  })

  it("NAT-16: is not asked while a sign-in waits for its second factor", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ nativeApps: nativeApps({ clients }) })
    const { app } = await enroll()
    clock.advance({ minutes: 2 })
    const browser = await signIn()
    const flow = begin()
    const page = await browser.open(flow.path)
    expect([page.url.pathname, page.url.searchParams.has("code")]).toEqual(["/auth/signin", false])
    expect(await host.adapter?.listSessionsByUserId?.("u-ada")).toHaveLength(1)
    await browser.open("/auth/second-factor")
    await browser.submit("form", { code: await app.code() })
    expect((await browser.open(flow.path)).find("h1")?.text).toBe("Sign in to Example for iOS?")
  })
})
