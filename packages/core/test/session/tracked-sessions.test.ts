import { listSessions, signOutEverywhere } from "@latchkey/core/sessions"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ask, get, post, requestTo } from "../setup/requests.js"
import { cookiesOf, endById, endOthers, listOf, openTracked, strategies } from "../setup/tracked-setup.js"

const isNobody = (answer: { readonly text: string }) => answer.text === "null"

describe.each(strategies)("tracked %s sessions", (strategy) => {
  it("are listed, the current one first, with their device and without token or address", async () => {
    const { host, signIn } = openTracked(strategy)
    const phone = await signIn("vera")
    const laptop = await signIn("vera")
    const sessions = await listOf(laptop)
    expect(sessions).toHaveLength(2)
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    expect(sessions[0]).toMatchObject({ provider: "cred", createdAt: expect.any(String), userAgent: null })
    expect((await listOf(phone)).map(({ id }) => id)).toEqual([sessions[1]?.id, sessions[0]?.id])
    expect(host.leaks()).toEqual([])
  })

  it("SESS-01: refuses a copied cookie at three processes, once checkEvery is over since the session was ended", async () => {
    using clock = fixedClock()
    const { host, signIn, newProcess } = openTracked(strategy, { checkEvery: 60 })
    const victim = await signIn("vera")
    const stolen = cookiesOf(victim)
    const processes = [newProcess(), newProcess(), newProcess()]
    for (const process of processes) expect(isNobody(await process("/auth/session", stolen))).toBe(false)
    const owner = await signIn("vera")
    const [, other] = await listOf(owner)
    expect((await endById(owner, other?.id ?? "")).json()).toEqual({ ended: 1 })
    clock.advance({ seconds: 60 })
    for (const process of processes) expect(isNobody(await process("/auth/session", stolen))).toBe(true)
    expect(await victim.session()).toBeNull()
    expect(await owner.session()).not.toBeNull()
    expect(host.events.of("sessionsEnded")).toEqual([{ userId: expect.any(String), count: 1 }])
  })

  it("SESS-01: refuses a copied cookie after the sign-out of its owner, and after a new sign-in in the same browser", async () => {
    using clock = fixedClock()
    const { signIn, newProcess } = openTracked(strategy)
    const browser = await signIn("vera")
    const first = cookiesOf(browser)
    await signIn("vera", browser)
    const second = cookiesOf(browser)
    await browser.signOut()
    clock.advance({ seconds: 60 })
    for (const stolen of [first, second]) expect(isNobody(await newProcess()("/auth/session", stolen))).toBe(true)
    expect(await listOf(await signIn("vera"))).toHaveLength(1)
  })

  it("SESS-01: links no account to the user of an ended session", async () => {
    using clock = fixedClock()
    const { adapter, signIn, idOf, host } = openTracked(strategy)
    const thief = await signIn("vera")
    await signOutEverywhere(host.config, await idOf("vera"))
    clock.advance({ seconds: 60 })
    await thief.signIn("oidc")
    const linked = await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })
    expect(linked?.email).not.toBe("vera@corp.test")
  })

  it("SESS-01: ends at the sign-out also behind a session that a neighboring site planted", async () => {
    using clock = fixedClock()
    const { adapter, host, signIn } = openTracked(strategy)
    const owner = await signIn("vera")
    const stolen = cookiesOf(owner)
    const planted = (await signIn("mal")).cookies.list().find(({ name }) => name.includes("session-token"))
    const csrfToken = await owner.csrfToken()
    const cookie = `${planted?.name}=${planted?.value}; ${cookiesOf(owner)}`
    await ask(host, "/auth/signout", { form: { csrfToken }, cookie })
    expect(await adapter.listSessionsByUserId("u-vera")).toEqual([])
    clock.advance({ seconds: 60 })
    expect(isNobody(await ask(host, "/auth/session", { cookie: stolen }))).toBe(true)
  })

  it("SESS-01: links no account to the user of a session that ended while the sign-in was under way", async () => {
    using clock = fixedClock()
    const { adapter, signIn, idOf, host } = openTracked(strategy)
    const thief = await signIn("vera")
    const { location } = await post(thief, "/auth/signin/oidc")
    await signOutEverywhere(host.config, await idOf("vera"))
    clock.advance({ seconds: 60 })
    await thief.open(location ?? "")
    const linked = await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })
    expect(linked?.email).not.toBe("vera@corp.test")
  })

  it("SESS-02: answers 404 for the session of another user, as for an unknown one, and ends nothing", async () => {
    const { signIn } = openTracked(strategy)
    const vera = await signIn("vera")
    const walt = await signIn("walt")
    const [own] = await listOf(vera)
    const [foreign, unknown] = [await endById(walt, own?.id ?? ""), await endById(walt, "no-such-session")]
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect(unknown.status).toBe(404)
    expect(await vera.session()).not.toBeNull()
  })

  it("SESS-03: lists no expired session, no token and no whole address", async () => {
    using clock = fixedClock()
    const { host, signIn } = openTracked(strategy, {}, { session: { maxAge: 3600 } })
    const old = await signIn("vera")
    const stale = cookiesOf(old)
    clock.advance({ hours: 1, minutes: 2 })
    const browser = host.newBrowser({ clientAddress: "198.51.100.7" })
    await signIn("vera", browser)
    const answer = await get(browser, "/auth/account/sessions")
    const { sessions } = answer.json() as { sessions: object[] }
    expect(sessions).toEqual([expect.objectContaining({ network: "198.51.100.0/24" })])
    for (const { value } of browser.cookies.list()) expect(answer.text).not.toContain(value)
    expect(answer.text).not.toMatch(/198\.51\.100\.7|sessionToken/)
    expect(isNobody(await ask(host, "/auth/session", { cookie: stale }))).toBe(true)
  })

  it("SESS-04: stays ended when the end races checks that extend the session", async () => {
    using clock = fixedClock()
    const { host, signIn, idOf, adapter } = openTracked(strategy, { checkEvery: 0 }, { session: { updateAge: 0 } })
    const cookie = cookiesOf(await signIn("vera"))
    const userId = await idOf("vera")
    clock.advance({ seconds: 1 })
    const checks = Array.from({ length: 10 }, () => ask(host, "/auth/session", { cookie }))
    await Promise.all([...checks, signOutEverywhere(host.config, userId)])
    expect(isNobody(await ask(host, "/auth/session", { cookie }))).toBe(true)
    expect(await adapter.listSessionsByUserId(userId)).toEqual([])
  })

  it("SESS-05: takes no sign-in for a recent one whose instance had a clock that was far ahead", async () => {
    using clock = fixedClock()
    const { signIn } = openTracked(strategy)
    await signIn("vera")
    clock.advance({ minutes: 10 })
    const browser = await signIn("vera")
    clock.advance({ minutes: -1 })
    expect((await endOthers(browser)).json()).toEqual({ ended: 1 })
    clock.advance({ seconds: -1 })
    expect((await endOthers(browser)).status).toBe(403)
  })

  it("SESS-05: requires a sign-in of the last ten minutes to end all other sessions, not to list or to end one", async () => {
    using clock = fixedClock()
    const { host, signIn } = openTracked(strategy)
    const owner = await signIn("vera")
    const stolen = await signIn("vera")
    clock.advance({ minutes: 10 })
    const [current] = await listOf(stolen)
    const refusal = await endOthers(stolen)
    expect(refusal.status).toBe(403)
    expect(refusal.json()).toEqual({
      error: "FreshnessRequired",
      message: expect.any(String),
      reference: expect.any(String),
      url: "https://app.test/auth/signin?callbackUrl=https%3A%2F%2Fapp.test%2F&error=SessionRequired",
    })
    expect(await owner.session()).not.toBeNull()
    expect(host.events.of("sessionsEnded")).toEqual([])
    await signIn("vera", stolen)
    expect((await endOthers(stolen)).json()).toEqual({ ended: 1 })
    clock.advance({ minutes: 1 })
    expect(await owner.session()).toBeNull()
    const other = await signIn("vera")
    clock.advance({ hours: 1 })
    const foreign = (await listOf(stolen)).find(({ isCurrent }) => !isCurrent)
    expect((await endById(stolen, foreign?.id ?? "")).json()).toEqual({ ended: 1 })
    clock.advance({ minutes: 1 })
    expect(await other.session()).toBeNull()
    const [own] = await listOf(stolen)
    expect(own?.id).not.toBe(current?.id)
    expect((await endById(stolen, own?.id ?? "")).json()).toEqual({ ended: 1 })
    expect(await stolen.session()).toBeNull()
  })

  it("SESS-05: does not count an account that a thief adds to the session as a new sign-in of its user", async () => {
    using clock = fixedClock()
    const { adapter, signIn } = openTracked(strategy)
    await signIn("vera")
    const stolen = await signIn("vera")
    clock.advance({ minutes: 11 })
    await stolen.signIn("oidc")
    expect((await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" }))?.name).toBe("vera")
    expect((await endOthers(stolen)).status).toBe(403)
  })

  it("SESS-06: keeps a hostile user agent as one line of text of 256 characters", async () => {
    const { adapter, host, signIn, idOf } = openTracked(strategy)
    await signIn("vera")
    const hostile = `<img src=x onerror=alert(1)>\u0085${"é".repeat(100_000)}`.slice(0, 15_000)
    const { cookies } = host.newBrowser()
    const token = await ask(host, "/auth/csrf")
    const csrfToken = (token.json() as { csrfToken: string }).csrfToken
    const cookie = [...token.cookies].map(([name, { value }]) => `${name}=${encodeURIComponent(value)}`).join("; ")
    await ask(host, "/auth/callback/cred", {
      form: { csrfToken, name: "vera" },
      cookie,
      headers: { "user-agent": hostile },
    })
    const kept = (await adapter.listSessionsByUserId(await idOf("vera"))).map(({ userAgent }) => userAgent)
    const [agent] = kept.filter((text) => text !== null)
    expect(cookies.list()).toEqual([])
    expect([agent?.length, agent?.startsWith("<img src=x onerror=alert(1)> é")]).toEqual([256, true])
  })

  it("SESS-07: ends the oldest sessions, so that 20 parallel sign-ins leave as many as maxPerUser allows", async () => {
    const { adapter, signIn, idOf } = openTracked(strategy, { maxPerUser: { count: 3, over: "end-oldest" } })
    await signIn("vera")
    await Promise.all(Array.from({ length: 20 }, () => signIn("vera")))
    expect(await adapter.listSessionsByUserId(await idOf("vera"))).toHaveLength(3)
  })

  it("SESS-07: refuses all but one of 20 parallel sign-ins, but not a new sign-in of the browser that has the session", async () => {
    const { adapter, signIn, idOf } = openTracked(strategy, { maxPerUser: { count: 1, over: "refuse" } })
    const first = await signIn("vera")
    await first.signOut()
    const browsers = await Promise.all(Array.from({ length: 20 }, () => signIn("vera")))
    const states = await Promise.all(browsers.map(async (browser) => (await browser.session()) !== null))
    expect(states.filter(Boolean)).toHaveLength(1)
    const winner = browsers[states.indexOf(true)]
    await signIn("vera", winner)
    expect(await winner?.session()).not.toBeNull()
    expect(await adapter.listSessionsByUserId(await idOf("vera"))).toHaveLength(1)
  })

  it("are refused by every route without the CSRF token, from another origin, signed out and with a wrong action", async () => {
    const { host, signIn } = openTracked(strategy)
    const browser = await signIn("vera")
    const path = "/auth/account/sessions"
    const forged = await ask(host, path, { form: { action: "end-others" }, cookie: cookiesOf(browser) })
    expect([forged.status, forged.json()]).toMatchObject([403, { error: "MissingCSRF" }])
    const foreign = await post(browser, path, { action: "end-others" }, { headers: { origin: "https://evil.test" } })
    expect(foreign.status).toBe(403)
    expect((await post(browser, path, { action: "forget" })).status).toBe(400)
    expect((await post(browser, path, { action: "end" })).status).toBe(400)
    const stranger = host.newBrowser()
    expect((await get(stranger, path)).status).toBe(401)
    expect((await endOthers(stranger)).status).toBe(401)
  })

  it("can be listed with a request, and ended everywhere but in one", async () => {
    using clock = fixedClock()
    const { host, signIn, idOf } = openTracked(strategy)
    const kept = await signIn("vera")
    const others = [await signIn("vera"), await signIn("vera")]
    const walt = await signIn("walt")
    const [current] = await listSessions(requestTo("/", { cookie: cookiesOf(kept) }), host.config)
    expect(await listSessions(requestTo("/"), host.config)).toEqual([])
    expect(await signOutEverywhere(host.config, await idOf("vera"), { except: current?.id ?? "" })).toBe(2)
    clock.advance({ seconds: 60 })
    const states = await Promise.all([kept, walt, ...others].map(async (one) => (await one.session()) !== null))
    expect(states).toEqual([true, true, false, false])
  })
})

describe("without session.track", () => {
  it.each(strategies)("%s sessions have no list: its path is none of the service's", async (strategy) => {
    const { host, signIn } = openTracked(strategy, null)
    const browser = await signIn("vera")
    const before = (await get(browser, "/auth/no-such-path")).status
    expect([before, (await get(browser, "/auth/account/sessions")).status]).toEqual([400, 400])
    expect((await endOthers(browser)).status).toBe(400)
    await expect(listSessions(requestTo("/"), host.config)).rejects.toThrow(
      /^session\.track: sessions cannot be listed/,
    )
  })
})
