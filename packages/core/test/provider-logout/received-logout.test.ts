import { trackSessions } from "@latchkey/core/sessions"
import { ada, fixedClock, memoryAdapter, wrongLogoutTokenNames } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { backchannel, type LogoutHost, openLogoutHost } from "../setup/logout-setup.js"
import { get, readAnswer, requestTo } from "../setup/requests.js"
import { cookiesOf, strategies } from "../setup/tracked-setup.js"

/** A stateless session is refused at the next lookup, which is this often. */
const checkEvery = { seconds: 60 }

async function expectSession(opened: LogoutHost, cookie: string, isSignedIn: boolean): Promise<void> {
  const answer = await opened.newProcess()("/auth/session", cookie)
  expect(answer.text === "null").toBe(!isSignedIn)
}

/** Sends a token to a process that is killed while it ends the sessions. */
async function sendToKilled(token: string, { adapter, sendToken }: LogoutHost): Promise<void> {
  let hasBegun = false
  const killed = {
    ...adapter,
    endSessions() {
      hasBegun = true
      return new Promise<never>(() => {})
    },
  }
  void sendToken(token, backchannel, { adapter: killed })
  await expect.poll(() => hasBegun).toBe(true)
}

describe.each(strategies)("a logout token, with %s sessions", (strategy) => {
  it.each(wrongLogoutTokenNames)("LOUT-01: ends nothing if it is %s", async (name) => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    await opened.host.browser.signIn("oidc")
    const cookie = cookiesOf(opened.host.browser)
    const { sid, sub } = opened.lastAtProvider()
    const answer = await opened.sendToken(await opened.idp.wrongLogoutToken(name, { sid, sub }))
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({ error: "invalid_request", reference: expect.any(String) })
    expect(answer.headers.get("cache-control")).toContain("no-store")
    clock.advance(checkEvery)
    await expectSession(opened, cookie, true)
    expect(opened.host.logger.errors).toMatchObject([{ type: "LogoutTokenInvalid" }])
    expect(opened.host.leaks()).toEqual([])
  })

  it("LOUT-01: ends nothing without its type, unless the app allows that, and never with another type", async () => {
    const strict = openLogoutHost(strategy)
    await strict.host.browser.signIn("oidc")
    const untyped = { claims: { ...strict.lastAtProvider() }, header: { typ: undefined } }
    expect((await strict.sendToken(await strict.idp.logoutToken(untyped))).status).toBe(400)

    const lax = openLogoutHost(strategy, { logout: { backchannel: true, laxTyp: true } })
    await lax.host.browser.signIn("oidc")
    const { sid, sub } = lax.lastAtProvider()
    expect((await lax.sendToken(await lax.idp.wrongLogoutToken("of another type", { sid, sub }))).status).toBe(400)
    expect((await lax.sendToken(await lax.idp.wrongLogoutToken("that is an ID token", { sid, sub }))).status).toBe(400)
    const right = { claims: { sid }, header: { typ: undefined } }
    expect((await lax.sendToken(await lax.idp.logoutToken(right))).status).toBe(200)
  })

  it("ends the session that it names in every process within checkEvery, and no other session of the user", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const first = cookiesOf(host.browser)
    const { sid, sub } = opened.lastAtProvider()
    const other = host.newBrowser()
    await other.signIn("oidc")
    expect((await opened.sendToken(await idp.logoutToken({ claims: { sid, sub } }))).status).toBe(200)
    clock.advance(checkEvery)
    await expectSession(opened, first, false)
    await expectSession(opened, cookiesOf(other), true)
    expect(await host.browser.session()).toBeNull()
    const userId = (await opened.adapter.getUserByAccount({ provider: "oidc", providerAccountId: sub }))?.id
    expect(host.events.of("sessionsEnded")).toEqual([{ userId, count: 1 }])
    expect(host.logger.records).toContainEqual(
      expect.objectContaining({ kind: "sessions-ended", providerId: "oidc", userId }),
    )
    expect(host.logger.errors).toEqual([])
  })

  it("ends all sessions that a user began with the provider, if it names the user alone", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const other = host.newBrowser()
    await other.signIn("oidc")
    const { sub } = opened.lastAtProvider()
    idp.signInAs({ ...ada, sub: "grace-1906", email: "grace@example.com" })
    const stranger = host.newBrowser()
    await stranger.signIn("oidc")
    const byPassword = await opened.signIn("vera")
    expect((await opened.sendToken(await idp.logoutToken({ claims: { sub } }))).status).toBe(200)
    clock.advance(checkEvery)
    for (const browser of [host.browser, other]) expect(await browser.session()).toBeNull()
    for (const browser of [stranger, byPassword]) expect(await browser.session()).not.toBeNull()
    expect(host.events.of("sessionsEnded")).toEqual([{ userId: expect.any(String), count: 2 }])
  })

  it("LOUT-02: is obeyed once: sent again, it leaves the next session alone", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const { sub } = opened.lastAtProvider()
    const token = await idp.logoutToken({ claims: { sub } })
    expect((await opened.sendToken(token)).status).toBe(200)
    clock.advance(checkEvery)
    await host.browser.signIn("oidc")
    expect((await opened.sendToken(token)).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).not.toBeNull()
    expect(host.events.of("sessionsEnded")).toHaveLength(1)
  })

  it("LOUT-02: is obeyed once by several processes that get it at the same time", async () => {
    const opened = openLogoutHost(strategy)
    await opened.host.browser.signIn("oidc")
    const { sub } = opened.lastAtProvider()
    const token = await opened.idp.logoutToken({ claims: { sub } })
    const answers = await Promise.all([1, 2, 3].map(() => opened.sendToken(token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(opened.adapter.calls.filter(({ method }) => method === "endSessions")).toHaveLength(1)
  })

  it("is answered with 400 if the store fails, and obeyed when the provider sends it again", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    const adapter = host.config.adapter ?? {}
    await host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const token = await idp.logoutToken({ claims: { sid } })
    const { endSessions } = opened.adapter
    adapter.endSessions = () => Promise.reject(new Error("connection lost"))
    expect((await opened.sendToken(token)).status).toBe(400)
    adapter.endSessions = endSessions
    expect((await opened.sendToken(token)).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).toBeNull()
  })

  it("LOUT-02: is obeyed by another process if the store failed in the first one, and once", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp, adapter } = opened
    await host.browser.signIn("oidc")
    const token = await idp.logoutToken({ claims: { sub: opened.lastAtProvider().sub } })
    const failing = { ...adapter, endSessions: () => Promise.reject(new Error("connection lost")) }
    expect((await opened.sendToken(token, backchannel, { adapter: failing })).status).toBe(400)
    expect((await opened.sendToken(token, backchannel, { adapter })).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).toBeNull()
    await host.browser.signIn("oidc")
    for (const own of [{ adapter }, { adapter }, {}]) {
      expect((await opened.sendToken(token, backchannel, own)).status).toBe(200)
    }
    clock.advance(checkEvery)
    expect(await host.browser.session()).not.toBeNull()
    expect(host.events.of("sessionsEnded")).toHaveLength(1)
  })

  it("LOUT-02: is obeyed by another process if the first one was killed on the way", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp, adapter } = opened
    await host.browser.signIn("oidc")
    const token = await idp.logoutToken({ claims: { sub: opened.lastAtProvider().sub } })
    await sendToKilled(token, opened)
    clock.advance({ seconds: 16 })
    expect((await opened.sendToken(token, backchannel, { adapter })).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).toBeNull()
  })

  it("LOUT-02: is not answered with success while a process has it that may have been killed", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp, adapter } = opened
    await host.browser.signIn("oidc")
    const token = await idp.logoutToken({ claims: { sub: opened.lastAtProvider().sub } })
    await sendToKilled(token, opened)
    expect((await opened.sendToken(token, backchannel, { adapter })).status).toBe(400)
    clock.advance({ seconds: 16 })
    expect((await opened.sendToken(token, backchannel, { adapter })).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).toBeNull()
  })

  it("LOUT-03: a token with the sid of another provider's session ends none of ours", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp, adapter } = opened
    await host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const user = await adapter.getUserByAccount({ provider: "oidc", providerAccountId: ada.sub })
    const [detail] = await adapter.listSessionsByUserId(user?.id ?? "")
    expect(detail).toMatchObject({ provider: "oidc", providerSession: sid })
    expect(
      (await opened.sendToken(await idp.logoutToken({ claims: { sid } }), "/auth/backchannel-logout/cred")).status,
    ).toBe(400)
    expect(
      (await opened.sendToken(await idp.logoutToken({ claims: { sid } }), "/auth/backchannel-logout/other")).status,
    ).toBe(400)
    expect((await opened.sendToken(await idp.logoutToken({ claims: { sid: "sid-of-another" } }))).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).not.toBeNull()
  })
})

describe("the record of a session", () => {
  it("LOUT-07: has no session of a provider whose profile is from elsewhere, even beside an ID token", async () => {
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      session: { strategy: "jwt", track: trackSessions() },
      providers: ({ idp }) => {
        const provider = idp.oauthProvider({ profile: ({ sub }) => ({ id: String(sub), email: ada.email ?? null }) })
        const request = async () => ({ sub: ada.sub, sid: "planted" })
        const conform = async (response: Response) =>
          Response.json({ ...(await response.json()), id_token: "stray.id.token" })
        return [{ ...provider, userinfo: { request }, token: { url: String(provider.token), conform } }]
      },
    })
    await host.browser.signIn("oauth")
    const user = await adapter.getUserByAccount({ provider: "oauth", providerAccountId: ada.sub })
    const [detail] = await adapter.listSessionsByUserId(user?.id ?? "")
    expect(detail).toMatchObject({ provider: "oauth", providerSession: null })
  })
})

describe("the provider's id of a session", () => {
  it.each([
    ["a NUL", "a\0b"],
    ["half of a character", "a\ud800b"],
    ["300 characters", "a".repeat(300)],
    ["no characters", ""],
  ])("is not kept, and does not stop the sign-in, if it has %s", async (_, sid) => {
    const opened = openLogoutHost("jwt")
    opened.idp.faults.turnOn({ idTokenClaims: (claims) => ({ ...claims, sid }) })
    await opened.host.browser.signIn("oidc")
    expect(await opened.host.browser.session()).not.toBeNull()
    const user = await opened.adapter.getUserByAccount({ provider: "oidc", providerAccountId: ada.sub })
    const [detail] = await opened.adapter.listSessionsByUserId(user?.id ?? "")
    expect(detail).toMatchObject({ provider: "oidc", providerSession: null })
  })
})

describe("the back-channel endpoint", () => {
  const send = async (opened: LogoutHost, request: Request) => readAnswer(await opened.host.handler(request))

  it("LOUT-01: refuses JSON, other media types, a query, an empty form and 16 KiB with 400 and JSON", async () => {
    const opened = openLogoutHost("jwt")
    await opened.host.browser.signIn("oidc")
    const token = await opened.idp.logoutToken({ claims: { ...opened.lastAtProvider() } })
    const long = await opened.idp.logoutToken({ claims: { ...opened.lastAtProvider(), padding: "x".repeat(16_384) } })
    const requests = [
      requestTo(backchannel, { json: { logout_token: token } }),
      requestTo(backchannel, { form: { logout_token: token }, headers: { "content-type": "text/plain" } }),
      requestTo(`${backchannel}?logout_token=${token}`, { form: {} }),
      requestTo(backchannel, { form: { logout_token: "" } }),
      requestTo(backchannel, { form: { logout_token: long } }),
      requestTo(backchannel, { form: { logout_token: "not.a.token" } }),
    ]
    for (const request of requests) {
      const answer = await send(opened, request)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json"])
    }
    expect(opened.adapter.calls.filter(({ method }) => method === "endSessions")).toEqual([])
  })

  it("needs no cookie, no CSRF token and no origin, since the token is the proof", async () => {
    const opened = openLogoutHost("database")
    await opened.host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const form = { logout_token: await opened.idp.logoutToken({ claims: { sid } }) }
    const answer = await send(opened, requestTo(backchannel, { form, headers: { origin: "https://idp.test" } }))
    expect([answer.status, [...answer.cookies.keys()]]).toEqual([200, []])
    expect(await opened.host.browser.session()).toBeNull()
  })

  it("answers GET with 405, and is unknown while the option is off", async () => {
    const opened = openLogoutHost("jwt")
    expect((await send(opened, requestTo(backchannel))).status).toBe(405)
    const off = openLogoutHost("jwt", { logout: {} })
    expect((await send(off, requestTo(backchannel, { form: { logout_token: "x" } }))).status).toBe(400)
    expect((await send(off, requestTo("/auth/frontchannel-logout/oidc"))).status).toBe(400)
  })

  it("accepts a token that the provider's new key signed, with one more request for its keys", async () => {
    const opened = openLogoutHost("database")
    await opened.host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    opened.idp.rotateKeys()
    expect((await opened.sendToken(await opened.idp.logoutToken({ claims: { sid } }))).status).toBe(200)
    expect(await opened.host.browser.session()).toBeNull()
  })
})

describe.each(strategies)("the front-channel endpoint, with %s sessions", (strategy) => {
  const address = (query: Readonly<Record<string, string>>) =>
    `/auth/frontchannel-logout/oidc?${new URLSearchParams(query)}`

  it("LOUT-05: needs the right issuer and the right sid", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const stranger = host.newBrowser()
    const wrong = [{}, { sid }, { iss: idp.issuer }, { iss: "https://evil.test", sid }, { iss: idp.issuer, sid: "" }]
    for (const query of wrong) expect((await get(stranger, address(query))).status).toBe(400)
    expect((await get(stranger, address({ iss: idp.issuer, sid: "guessed" }))).status).toBe(200)
    clock.advance(checkEvery)
    expect(await host.browser.session()).not.toBeNull()
  })

  it("ends the session without its cookies, and answers a page that only the issuer may frame", async () => {
    using clock = fixedClock()
    const opened = openLogoutHost(strategy)
    const { host, idp } = opened
    await host.browser.signIn("oidc")
    const { sid } = opened.lastAtProvider()
    const answer = await readAnswer(await host.handler(requestTo(address({ iss: idp.issuer, sid }))))
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors https://idp.test")
    expect(answer.headers.get("cache-control")).toContain("no-store")
    expect(answer.headers.get("x-frame-options")).toBeNull()
    clock.advance(checkEvery)
    expect(await host.browser.session()).toBeNull()
    expect(host.events.of("sessionsEnded")).toEqual([{ userId: null, count: 1 }])
  })
})
