import { getToken } from "@latchkey/core/jwt"
import { nativeApps } from "@latchkey/core/native-apps"
import { endOtherSessions, listSessions, requireFresh, signOutEverywhere } from "@latchkey/core/sessions"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import {
  begin,
  call,
  clients,
  openConsent,
  openNative,
  openUntracked,
  signInApp,
  userOf,
} from "../setup/native-setup.js"
import { ask, requestTo } from "../setup/requests.js"
import { cookiesOf, strategies } from "../setup/tracked-setup.js"

const ada = "ada@corp.test"
const cookieName = "__Secure-authjs.session-token"

describe.each(strategies)("the token of a native app, with sessions of strategy %s", (strategy) => {
  async function openSignedIn(options = {}, tracking = { checkEvery: 0 }) {
    const native = openNative(strategy, options, tracking)
    const browser = await native.signIn("ada")
    return { native, browser, token: await signInApp(native, browser) }
  }

  it("NAT-17: is no cookie, and a cookie is no token", async () => {
    const { native, browser, token } = await openSignedIn()
    const cookie = browser.cookies.get(cookieName) ?? ""
    for (const value of [token, token.slice("latchkey_".length)]) {
      const answer = await ask(native.host, "/auth/session", { cookie: `${cookieName}=${value}` })
      expect(answer.json()).toBeNull()
    }
    for (const value of [cookie, `latchkey_${cookie}`]) expect(await userOf(native, value)).toBeNull()
    expect(await userOf(native, token)).toBe(ada)
  })

  it("NAT-17: is no other sealed value, and cannot be changed", async () => {
    const { native, browser, token } = await openSignedIn()
    const { fields } = (await openConsent(browser)).form()
    const forged = [
      `latchkey_${fields["ticket"]}`,
      `${token.slice(0, -2)}xx`,
      `${token}x`,
      token.toUpperCase(),
      token.replace("latchkey_", ""),
      "latchkey_",
      "latchkey_a.b.c.d.e",
      `latchkey_${"x".repeat(20_000)}`,
    ]
    for (const value of forged) expect(await userOf(native, value)).toBeNull()
    const foreign = openNative(strategy)
    expect(await userOf(foreign, token)).toBeNull()
  })

  it("NAT-17: is not read by getToken, which is for cookies", async () => {
    const { native, token } = await openSignedIn()
    const req = requestTo("/", { headers: { authorization: `Bearer ${token}` } })
    const secret = native.host.config.secret ?? ""
    expect(await getToken({ req, secret, secureCookie: true })).toBeNull()
  })

  it("NAT-18: is dead after its session was ended, everywhere", async () => {
    const { native, token } = await openSignedIn()
    expect(await userOf(native, token)).toBe(ada)
    expect(await signOutEverywhere(native.host.config, await native.idOf("ada"))).toBe(2)
    expect(await userOf(native, token)).toBeNull()
    const request = requestTo("/", { headers: { authorization: `Bearer ${token}` } })
    expect(await listSessions(request, native.host.config)).toEqual([])
  })

  it("NAT-18: is dead after its app was removed from the configuration", async () => {
    const secret = "one secret of at least thirty-two characters"
    const { native, token } = await openSignedIn({ secret })
    const changed = { ...native.host.config, nativeApps: nativeApps({ clients: clients.slice(1) }) }
    const request = requestTo("/", { headers: { authorization: `Bearer ${token}` } })
    expect(await listSessions(request, native.host.config)).toHaveLength(2)
    expect(await listSessions(request, changed)).toEqual([])
  })

  it("NAT-18: is dead after its user was deleted or its time is over", async () => {
    using clock = fixedClock()
    const { native, browser, token } = await openSignedIn()
    const second = await signInApp(native, browser)
    clock.advance({ days: 31 })
    expect([await userOf(native, token), await userOf(native, second)]).toEqual([null, null])
    const late = await openSignedIn()
    await late.native.adapter.deleteUser(await late.native.idOf("ada"))
    expect(await userOf(late.native, late.token)).toBeNull()
  })

  it("NAT-19: decides alone: a cookie that is planted beside it signs no one else in", async () => {
    const { native, token } = await openSignedIn()
    const eve = await native.signIn("eve")
    const cookie = cookiesOf(eve)
    const both = await call(native, token, "/auth/session", { cookie })
    expect(both.json()).toMatchObject({ user: { email: ada } })
    const invalid = await call(native, `${token}x`, "/auth/session", { cookie })
    expect(invalid.json()).toBeNull()
    expect((await call(native, `${token}x`, "/auth/signout", { cookie, json: {} })).cookies.size).toBe(0)
    expect((await eve.session())?.user?.email).toBe("eve@corp.test")
  })

  it.each([
    ["sent twice", (token: string) => `Bearer ${token}, Bearer ${token}`],
    ["before another word", (token: string) => `Bearer ${token} x`],
    ["after a tab", (token: string) => `Bearer\t${token}x`],
    ["after many spaces", (token: string) => `Bearer${" ".repeat(13_000)}${token}x`],
  ])("NAT-19: decides alone when it is %s: no cookie counts in its place", async (_, toHeader) => {
    const { native, token } = await openSignedIn()
    const cookie = cookiesOf(await native.signIn("eve"))
    const headers = { authorization: toHeader(token) }
    expect((await ask(native.host, "/auth/session", { cookie, headers })).json()).toBeNull()
    const request = requestTo("/", { headers: { cookie, ...headers } })
    expect(await listSessions(request, native.host.config)).toEqual([])
  })

  it("NAT-19: a token of another service in the same header is ignored: the cookie counts", async () => {
    const { native, browser } = await openSignedIn()
    const headers = { authorization: "Bearer eyJhbGciOiJub25lIn0.e30." }
    const answer = await ask(native.host, "/auth/session", { cookie: cookiesOf(browser), headers })
    expect(answer.json()).toMatchObject({ user: { email: ada } })
    const form = await ask(native.host, "/auth/signout", { cookie: cookiesOf(browser), headers, form: {} })
    expect([form.location?.includes("MissingCSRF"), (await browser.session())?.user?.email]).toEqual([true, ada])
  })

  it.each([
    ["/auth/session", undefined],
    ["/auth/session", { data: {} }],
    ["/auth/signout", {}],
    ["/auth/account/sessions", undefined],
    ["/auth/account/sessions", { action: "end", id: "unknown" }],
    ["/auth/account/sessions", { action: "nonsense" }],
  ])("NAT-20: sets no cookie at %s with %j, valid or not", async (path, json) => {
    const { native, token } = await openSignedIn()
    for (const sent of [`${token}x`, token]) {
      const answer = await call(native, sent, path, json === undefined ? {} : { json })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(answer.headers.has("access-control-allow-origin")).toBe(false)
      if (answer.status === 401) expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"')
    }
  })

  it("NAT-20: is of no use at the routes of a browser", async () => {
    const { native, token } = await openSignedIn()
    const page = await call(native, token, begin().path)
    expect([page.status, page.location?.startsWith("https://app.test/auth/signin?")]).toEqual([302, true])
    const form = { csrfToken: "x", ticket: "x", choice: "continue" }
    expect((await call(native, token, "/auth/native", { form })).location).toContain("MissingCSRF")
    const signIn = await call(native, token, "/auth/callback/cred", { form: { name: "ada" } })
    expect([signIn.location?.includes("MissingCSRF"), signIn.headers.has("latchkey-token")]).toEqual([true, false])
  })

  it("NAT-21: is refused from a page of another site", async () => {
    const { native, token } = await openSignedIn()
    const headers = { origin: "https://evil.example" }
    await call(native, token, "/auth/signout", { json: {}, headers })
    await call(native, token, "/auth/account/sessions", { json: { action: "end-others" }, headers })
    expect(await native.adapter.listSessionsByUserId(await native.idOf("ada"))).toHaveLength(2)
    const preflight = new Request("https://app.test/auth/session", { method: "OPTIONS", headers })
    const answer = await native.host.handler(preflight)
    expect([answer.status, answer.headers.has("access-control-allow-origin")]).toEqual([400, false])
  })

  it("is accepted by the functions for servers", async () => {
    const { native, token } = await openSignedIn()
    const request = requestTo("/", { headers: { authorization: `bearer ${token}` } })
    const { config } = native.host
    expect((await listSessions(request, config)).map(({ label }) => label)).toEqual(["Example for iOS", null])
    expect(await requireFresh(request, config)).toMatchObject({ user: { email: ada } })
    expect(await endOtherSessions(request, config)).toBe(1)
  })

  it("NAT-22: does not make its user appear to have just signed in", async () => {
    using clock = fixedClock(new Date())
    const native = openNative(strategy)
    const browser = await native.signIn("ada")
    clock.advance({ minutes: 9 })
    const token = await signInApp(native, browser)
    clock.advance({ minutes: 2 })
    const request = requestTo("/", { headers: { authorization: `Bearer ${token}` } })
    expect((await requireFresh(request, native.host.config)) instanceof Response).toBe(true)
  })
})

describe("a session that is too large for a header", () => {
  it("is refused with an error that says what to do", async () => {
    const native = openUntracked("jwt", {
      isSearched: false,
      callbacks: { jwt: ({ token }) => ({ ...token, filler: "x".repeat(7000) }) },
    })
    const browser = await native.signIn("ada")
    await expect(signInApp(native, browser)).rejects.toThrow(/500/)
    expect(native.host.logger.texts().join()).toMatch(/The token of a native app has \d+ characters/)
  })
})

describe("nativeApps", () => {
  const withClient = (change: object) => ({ clients: [{ ...clients[0], ...change }] })
  it.each([
    [{}, "nativeApps.clients: must be a list of clients"],
    [{ clients: [] }, "nativeApps.clients: must be a list of clients"],
    [{ ...withClient({}), bearer: true }, "nativeApps.bearer: unknown option. Use clients"],
    [withClient({ id: "a b" }), "nativeApps.clients[0].id: must be up to 64 letters"],
    [withClient({ name: "" }), "nativeApps.clients[0].name: must be the name of the app"],
    [withClient({ redirectUris: [] }), "nativeApps.clients[0].redirectUris: must be a list"],
    [
      withClient({ redirectUris: ["myapp:/x"] }),
      "nativeApps.clients[0].redirectUris[0]: must be com.example.app:/path",
    ],
    [withClient({ secret: "x" }), "nativeApps.clients[0].secret: unknown option"],
    [{ clients: [clients[0], clients[0]] }, "nativeApps.clients[1].id: is the id of another client"],
    [{ clients: ["ios"] }, "nativeApps.clients[0]"],
  ])("refuses %j at the start", async (options, sentence) => {
    const native = openNative("jwt", { nativeApps: nativeApps(options as never) })
    expect((await ask(native.host, "/auth/session")).status).toBe(500)
    expect(native.host.logger.errors[0]?.message.startsWith(sentence)).toBe(true)
  })

  it("needs an adapter that keeps values for a while", async () => {
    const { takeTemporary: _, ...adapter } = memoryAdapter()
    const host = openHost({ adapter, nativeApps: nativeApps({ clients }) })
    await ask(host, "/auth/session")
    expect(host.logger.errors[0]?.message).toMatch(/^nativeApps: the adapter lacks takeTemporary/)
  })

  it("is the only value of the option", async () => {
    const native = openNative("jwt", { nativeApps: true as never })
    await ask(native.host, "/auth/session")
    expect(native.host.logger.errors[0]?.message).toBe("nativeApps: must be the result of nativeApps()")
  })
})
