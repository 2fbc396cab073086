import { Auth } from "@latchkey/core"
import { type RequireFreshOptions, requireFresh, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post, readAnswer, requestTo } from "../setup/requests.js"
import { address, begin, change, type FactorHost, openFactors } from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const page = "https://app.test/payments?id=7"
const json = { accept: "application/json" }

/** What an app gets for a page that a browser requests: a session, or the URL of the redirect. */
async function visit({ host }: FactorHost, browser: Browser, options: RequireFreshOptions = {}) {
  const headers = { cookie: cookiesOf(browser), accept: "text/html" }
  const fresh = await requireFresh(new Request(page, { headers }), host.config, options)
  return fresh instanceof Response ? { status: fresh.status, url: fresh.headers.get("location") ?? "" } : fresh
}

async function urlOf(hosting: FactorHost, browser: Browser, options: RequireFreshOptions): Promise<string> {
  const answer = await visit(hosting, browser, options)
  return "url" in answer ? answer.url : "none: the session is fresh"
}

const pathOf = (url: string | null) => (url === null ? null : url.slice("https://app.test".length))

/** The query of the page, for a form that is posted without it. */
const queryOf = (url: string) => new URL(url).search

const sessionOf = (browser: Browser) =>
  browser.cookies
    .list()
    .filter(({ name }) => name.includes("session-token"))
    .map(({ value }) => value)
    .join()

describe.each([
  ["jwt", "with session.track"],
  ["jwt", "without session.track"],
  ["database", "with session.track"],
  ["database", "without session.track"],
] as const)("requireFresh with %s sessions, %s", (strategy, option) => {
  const open = (options: Parameters<typeof openFactors>[0] = {}) =>
    openFactors({
      session: { strategy, ...(option === "with session.track" && { track: trackSessions() }) },
      ...options,
    })

  it("returns the session of a user who has just signed in, with what was proved", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const browser = await hosting.signIn()
    const time = Math.floor(Date.now() / 1000)
    clock.advance({ minutes: 9 })
    expect(await visit(hosting, browser)).toMatchObject({
      user: { email: address },
      auth: { time, methods: ["pwd"], level: 1 },
    })
    expect(pathOf(await urlOf(hosting, browser, { factors: 2 }))).toBe(
      "/auth/confirm?callbackUrl=https%3A%2F%2Fapp.test%2Fpayments%3Fid%3D7&factors=2",
    )
    expect(pathOf(await urlOf(hosting, browser, { phishingResistant: true, maxAgeSeconds: 60 }))).toBe(
      "/auth/confirm?callbackUrl=https%3A%2F%2Fapp.test%2Fpayments%3Fid%3D7&max_age=60&phishing_resistant=true",
    )
  })

  it("asks again after the time that the app allows, and accepts a code", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    expect("auth" in (await visit(hosting, browser, { maxAgeSeconds: 3600 }))).toBe(true)
    const former = sessionOf(browser)
    const url = await urlOf(hosting, browser, { factors: 1 })
    const shown = await browser.open(url)
    expect(shown.find("h1")?.text).toBe("Confirm it’s you")
    const code = await app.code()
    const action = `/auth/confirm/totp${queryOf(url)}`
    const answer = await post(browser, action, { code })
    expect(answer.location).toBe(url)
    expect((await get(browser, pathOf(url) ?? "")).location).toBe(page)
    expect(await visit(hosting, browser)).toMatchObject({ auth: { methods: ["otp"], level: 1 } })
    expect(sessionOf(browser)).not.toBe(former)
    expect((await browser.session())?.user?.email).toBe(address)
    expect(hosting.host.logger.records.at(-1)).toMatchObject({ kind: "confirmed", outcome: "success", userId: "u-ada" })
    expect(hosting.host.events.of("signIn")).toHaveLength(1)
    // FAC-03: not again, in the same session.
    clock.advance({ minutes: 11 })
    expect((await post(browser, action, { code })).location).toContain("&wrong=totp")
    expect(hosting.host.leaks()).toEqual([])
  })

  it("SESS-01: ends the session with the former token once the user has confirmed", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 1 })
    const copy = { cookie: cookiesOf(browser) }
    const url = await urlOf(hosting, browser, { factors: 1, maxAgeSeconds: 30 })
    await post(browser, `/auth/confirm/totp${queryOf(url)}`, { code: await app.code() })
    clock.advance({ minutes: 2 })
    const stolen = await hosting.host.handler(new Request("https://app.test/auth/session", { headers: copy }))
    expect(await stolen.json()).toBeNull()
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("SESS-01: asks again in a session that was ended, however recently the store was asked for it", async () => {
    const hosting = await open()
    const browser = await hosting.signIn()
    await hosting.adapter.endSessions({ userId: "u-ada" })
    expect("auth" in (await visit(hosting, browser))).toBe(false)
    // Nor is a second factor of the thief set up there.
    const shown = await get(browser, "/auth/confirm?factors=2", { accept: "text/html" })
    expect(shown.location).toContain("error=SessionRequired")
  })

  it.each([undefined, { count: 2, over: "end-oldest" } as const])(
    "SESS-04: brings back no session that ends while its user confirms (maxPerUser: %o)",
    async (maxPerUser) => {
      using clock = fixedClock()
      const track = trackSessions(maxPerUser && { maxPerUser })
      const { host, adapter, signIn } = await openFactors({ session: { strategy, track } })
      const browser = await signIn()
      clock.advance({ minutes: 11 })
      await browser.session()
      const config = host.config as AuthConfig
      const name = maxPerUser ? "endSessions" : "createSessionDetail"
      const slow = async (...values: unknown[]) => {
        await adapter.endSessions({ userId: "u-ada" })
        return Reflect.apply(adapter[name], adapter, values)
      }
      const form = { csrfToken: await browser.csrfToken(), name: address }
      const request = requestTo("/auth/confirm/cred", { form, cookie: cookiesOf(browser) })
      const adapterOfOther = { ...config.adapter, [name]: slow } as typeof adapter
      const answer = await readAnswer(await Auth(request, { ...config, adapter: adapterOfOther }))
      expect([...answer.cookies.keys()].filter((cookie) => cookie.includes("session-token"))).toEqual([])
      expect(await adapter.listSessionsByUserId("u-ada")).toEqual([])
    },
  )

  it("requires two factors where the app says so, and counts no factor twice", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const url = await urlOf(hosting, browser, { factors: 2 })
    await post(browser, `/auth/confirm/totp${queryOf(url)}`, { code: await app.code() })
    const shown = await browser.open(url)
    expect(shown.text()).toContain("One more step is needed")
    expect(shown.text()).not.toContain("confirm/totp")
    expect(shown.text()).not.toContain("confirm/recovery")
    clock.advance({ seconds: 30 })
    await post(browser, `/auth/confirm/totp${queryOf(url)}`, { code: await app.code() })
    expect(await urlOf(hosting, browser, { factors: 2 })).toBe(url)
    const answer = await post(browser, `/auth/confirm/cred${queryOf(url)}`, { name: address })
    expect((await get(browser, pathOf(answer.location) ?? "")).location).toBe(page)
    const fresh = await visit(hosting, browser, { factors: 2 })
    expect(fresh).toMatchObject({ auth: { methods: ["pwd", "otp"], level: 2 } })
  })

  it("FAC-05: accepts neither a wrong password nor that of another user", async () => {
    using clock = fixedClock()
    const hosting = await open()
    await hosting.adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const browser = await hosting.signIn()
    clock.advance({ minutes: 11 })
    const url = await urlOf(hosting, browser, {})
    const former = sessionOf(browser)
    for (const name of ["mal@example.com", "nobody@example.com", ""]) {
      const answer = await post(browser, `/auth/confirm/cred${queryOf(url)}`, { name })
      expect(answer.location).toContain("&wrong=cred")
      expect([...answer.cookies.keys()].filter((each) => /session|proof/.test(each))).toEqual([])
    }
    expect((await browser.open(`${url}&wrong=cred`)).find("[role=alert]")?.text).toContain("That did not work")
    expect([await urlOf(hosting, browser, {}), sessionOf(browser)]).toEqual([url, former])
  })

  it("FAC-05: accepts no code of another user, and no proof from a browser of theirs", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const { browser } = await hosting.enroll()
    await hosting.adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    clock.advance({ minutes: 11 })
    const mal = hosting.host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const { secret, ticket } = await begin(mal)
    const app = authenticatorApp(secret)
    await change(mal, "confirm-totp", { ticket, code: await app.code() })
    clock.advance({ seconds: 30 })
    const url = await urlOf(hosting, browser, { factors: 1 })
    const answer = await post(browser, `/auth/confirm/totp${queryOf(url)}`, { code: await app.code() })
    expect(answer.location).toContain("&wrong=totp")
    browser.cookies.set("__Host-authjs.proof", mal.cookies.get("__Host-authjs.proof") ?? "", { path: "/" })
    expect(await urlOf(hosting, browser, { factors: 1 })).toBe(url)
  })

  it("keeps the browser signed in when two forms are sent at once", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const code = await app.code()
    await Promise.all([
      post(browser, "/auth/confirm/totp?factors=1", { code }),
      post(browser, "/auth/confirm/cred?factors=1", { name: address }),
      post(browser, "/auth/confirm/cred?factors=1", { name: address }),
    ])
    clock.advance({ minutes: 2 })
    expect((await browser.session())?.user?.email).toBe(address)
    expect("auth" in (await visit(hosting, browser))).toBe(true)
  })

  it("keeps what the app's jwt callback added to the session", async () => {
    using clock = fixedClock()
    const hosting = await open({
      callbacks: {
        jwt: ({ token, account }) => (account ? { ...token, plan: account.provider } : token),
        session: ({ session, token }) => ({ ...session, plan: token?.["plan"] }),
      },
    })
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const before = await browser.session()
    await post(browser, "/auth/confirm/totp?factors=1", { code: await app.code() })
    const { plan } = (await browser.session()) as unknown as { readonly plan?: string }
    expect(plan).toBe((before as unknown as { readonly plan?: string }).plan)
    if (strategy === "jwt") expect(plan).toBe("cred")
  })
})

describe("the page that confirms", () => {
  it("FAC-05: asks no one who is signed out, and leads to no other site", async () => {
    const { host, signIn } = await openFactors()
    const stranger = host.newBrowser()
    const query = `?callbackUrl=${encodeURIComponent("https://evil.test/")}`
    expect((await get(stranger, `/auth/confirm${query}`)).location).toMatch(/^https:\/\/app\.test\/auth\/signin\?/)
    expect((await get(stranger, "/auth/confirm", json)).status).toBe(401)
    expect((await post(stranger, "/auth/confirm/totp", { code: "123456" })).location).toContain("/auth/signin?")
    const browser = await signIn()
    expect((await get(browser, `/auth/confirm${query}`)).location).toBe("https://app.test")
  })

  it("CSRF-01: accepts no form of another site", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    clock.advance({ minutes: 11 })
    const body = new URLSearchParams({ name: address })
    await browser.fetch("/auth/confirm/cred", { method: "POST", body })
    expect(await urlOf(hosting, browser, {})).toContain("/auth/confirm?")
  })

  it("FAC-04: accepts ten codes in a quarter of an hour, where no rate limits are set", async () => {
    using clock = fixedClock(new Date("2026-11-23T09:00:00Z"))
    const hosting = await openFactors()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 1 })
    const right = await app.code()
    const guess = right === "000000" ? "000001" : "000000"
    for (let n = 0; n < 10; n++) {
      expect((await post(browser, "/auth/confirm/totp?factors=1", { code: guess })).location).toContain("wrong=totp")
    }
    expect((await post(browser, "/auth/confirm/totp?factors=1", { code: right })).status).toBe(429)
    // The password is another way, and the next quarter of an hour comes.
    const answer = await post(browser, "/auth/confirm/cred?factors=1", { name: address })
    expect(answer.location).not.toContain("wrong")
    clock.advance({ minutes: 15 })
    const late = await post(browser, "/auth/confirm/totp?factors=1", { code: await app.code() })
    expect(late.location).not.toContain("wrong")
  })

  it("answers clients with JSON", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser, app, recoveryCodes } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const shown = async () =>
      (await get(browser, "/auth/confirm?callbackUrl=%2Fin", json)).json() as { isFresh: boolean; methods: string[] }
    const methods = ["totp", "oidc", "oauth", "email", "cred", "card", "recovery"]
    expect(await shown()).toEqual({
      isFresh: false,
      methods: expect.arrayContaining(["totp", "cred"]),
      url: "https://app.test/in",
    })
    expect(methods).toEqual(expect.arrayContaining((await shown()).methods))
    const submit = async (id: string, fields: Record<string, string>) => {
      const answer = await post(browser, `/auth/confirm/${id}?callbackUrl=%2Fin`, fields, { headers: json })
      return { status: answer.status, ...(answer.json() as { readonly error?: string; readonly url?: string }) }
    }
    const wrong = await submit("totp", { code: "12" })
    expect(wrong).toEqual({
      status: 400,
      error: "SecondFactorWrong",
      message: "That code did not work",
      reference: expect.any(String),
    })
    expect((await submit("cred", { name: "x" })).error).toBe("CredentialsSignin")
    expect((await submit("oidc", {})).error).toBe("InvalidRequest")
    expect((await submit("totp", { code: await app.code() })).status).toBe(200)
    expect((await shown()).isFresh).toBe(false)
    const { url = "" } = await submit("cred", { name: address })
    expect((await get(browser, pathOf(url) ?? "")).location).toBe("https://app.test/in")
    expect((await shown()).isFresh).toBe(true)
    clock.advance({ minutes: 11 })
    await submit("recovery", { code: recoveryCodes[0] ?? "" })
    expect(hosting.host.events.of("recoveryCodeUsed")).toEqual([{ userId: "u-ada", left: 9 }])
  })

  it("asks for nothing but a passkey where only a passkey is accepted", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const device = softwareAuthenticator()
    const owner = await hosting.signIn()
    await passkeyClient({ browser: owner, device }).register()
    const browser = await hosting.signIn()
    clock.advance({ minutes: 11 })
    const url = await urlOf(hosting, browser, { phishingResistant: true, factors: 2 })
    const shown = await browser.open(url)
    expect([shown.text().includes("data-passkey"), shown.text().includes("confirm/cred")]).toEqual([true, false])
    await passkeyClient({ browser, device }).signIn()
    expect(await visit(hosting, browser, { phishingResistant: true, factors: 2 })).toMatchObject({
      auth: { methods: ["swk", "user"], level: 3 },
    })
  })

  it("offers providers that the user has signed in with, and signing in again is a proof", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const browser = hosting.host.newBrowser()
    await browser.signIn("oidc")
    clock.advance({ minutes: 11 })
    const url = await urlOf(hosting, browser, {})
    const shown = await browser.open(url)
    expect([shown.text().includes("signin/oidc"), shown.text().includes("confirm/cred")]).toEqual([true, true])
    const landed = await browser.submit('form[action$="/signin/oidc"]')
    expect(landed.url.href).toBe(page)
    expect(await visit(hosting, browser)).toMatchObject({ auth: { methods: ["fed"], level: 1 } })
  })

  it("lets a user set up the second factor that is required", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    clock.advance({ minutes: 1 })
    const url = await urlOf(hosting, browser, { factors: 2 })
    const shown = await browser.open(url)
    expect(shown.find("h1")?.text).toBe("Set up two-step verification")
    const secret = shown.find("code")?.text.replaceAll(" ", "") ?? ""
    const wrong = await browser.submit("form", { code: "000000" })
    expect([wrong.find("[role=alert]")?.text, wrong.find("code")?.text.replaceAll(" ", "")]).toEqual([
      expect.stringContaining("That code did not work"),
      secret,
    ])
    const saved = await browser.submit("form", { code: await authenticatorApp(secret).code() })
    expect(saved.find("h1")?.text).toBe("Save your recovery codes")
    expect(await visit(hosting, browser, { factors: 2 })).toMatchObject({ auth: { methods: ["otp", "pwd"], level: 2 } })
  })
})

describe("what requires a recent proof", () => {
  it("SESS-05: the other sessions end once the user has confirmed", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const end = () => post(browser, "/auth/account/sessions", { action: "end-others" })
    const refused = await end()
    const { url } = refused.json() as { readonly url: string }
    expect([refused.status, pathOf(url)]).toEqual([403, "/auth/confirm?callbackUrl=https%3A%2F%2Fapp.test%2F"])
    await post(browser, "/auth/confirm/totp", { code: await app.code() })
    expect((await end()).status).toBe(403)
    await post(browser, "/auth/confirm/cred", { name: address })
    expect((await end()).status).toBe(200)
  })

  it("leads back to the page that asked, without the error that it showed, and to no page of another site", async () => {
    using clock = fixedClock()
    const { browser } = await (await openFactors()).enroll()
    clock.advance({ minutes: 11 })
    const backFrom = async (referer: string) => {
      const headers = { accept: "application/json", referer }
      const { url } = (await post(browser, "/auth/account/sessions", { action: "end-others" }, { headers })).json() as {
        readonly url: string
      }
      return new URL(url).searchParams.get("callbackUrl")
    }
    expect(await backFrom("https://app.test/devices?sort=a%20b")).toBe("https://app.test/devices?sort=a%20b")
    expect(await backFrom("https://app.test/devices?error=FreshnessRequired&all=1")).toBe(
      "https://app.test/devices?all=1",
    )
    expect(await backFrom("https://evil.test/devices")).toBe("https://app.test")
  })

  it("FAC-05: the factors change once the user has confirmed with both", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const { browser, app } = await hosting.enroll()
    clock.advance({ minutes: 11 })
    const { status } = await change(browser, "create-recovery-codes")
    await post(browser, "/auth/confirm/cred", { name: address })
    expect([status, (await change(browser, "create-recovery-codes")).status]).toEqual([403, 403])
    await post(browser, "/auth/confirm/totp", { code: await app.code() })
    expect((await change(browser, "create-recovery-codes")).status).toBe(200)
  })

  it("refuses options that would let everyone or no one pass", async () => {
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    for (const options of [{ factors: 3 }, { factors: 0 }, { maxAgeSeconds: 0 }, { maxAgeSeconds: Number.NaN }]) {
      await expect(visit(hosting, browser, options as RequireFreshOptions)).rejects.toThrow("requireFresh: ")
    }
  })

  it("its page asks again where the clock of the process that wrote the proof is ahead, instead of a redirect back", async () => {
    using clock = fixedClock()
    const hosting = await openFactors()
    const browser = await hosting.signIn()
    clock.advance({ seconds: -90 })
    const url = await urlOf(hosting, browser, {})
    expect(pathOf(url)).toBe("/auth/confirm?callbackUrl=https%3A%2F%2Fapp.test%2Fpayments%3Fid%3D7&again=true")
    clock.advance({ seconds: 90 })
    expect((await get(browser, pathOf(url) ?? "", { accept: "text/html" })).status).toBe(200)
    expect((await get(browser, (pathOf(url) ?? "").replace("&again=true", ""), { accept: "text/html" })).status).toBe(
      302,
    )
  })

  it("the proofs end with the session", async () => {
    const { signIn } = await openFactors()
    const browser = await signIn()
    expect(browser.cookies.names()).toContain("__Host-authjs.proof")
    await post(browser, "/auth/signout")
    expect(browser.cookies.names()).not.toContain("__Host-authjs.proof")
  })
})
