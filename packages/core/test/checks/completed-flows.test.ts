import { Auth } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import {
  authenticatorApp,
  type Browser,
  fakeIdentityProvider,
  fixedClock,
  type TestHost,
  testEmail,
} from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openElsewhere, typeCode } from "../setup/mail-setup.js"
import { openStage, sendBack, strategies } from "../setup/oauth-stage.js"
import { checkRefused, openPasskeys } from "../setup/passkey-setup.js"
import { forget, newPassword, openPasswords, pathOf, address as person } from "../setup/password-setup.js"
import { ask, get, post, readAnswer } from "../setup/requests.js"
import { address, give, openFactors } from "../setup/second-factor-setup.js"
import { pathOfPage } from "../setup/sign-ins.js"

const mark = "__Host-authjs.completed"
const used = "/auth/error?error=Verification"
const expired = "https://app.test/auth/signin?error=SessionRequired"

/** What the browser has, as a header. */
const cookiesOf = ({ cookies }: Browser) =>
  cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")

const copyAll = (from: Browser, to: Browser, names = from.cookies.names()) => {
  for (const name of names) to.cookies.set(name, from.cookies.get(name) ?? "")
}

const sessionNames = ({ cookies }: Browser) => cookies.names().filter((name) => name.includes("session-token"))

describe.each(strategies)("a callback that is opened again, with %s sessions", (strategy) => {
  async function complete(options: Parameters<typeof openStage>[0] = {}) {
    const stage = openStage({ strategy, ...options })
    const back = await sendBack(stage)
    const first = await get(stage.host.browser, back.href)
    expect(first.location).toBe("https://app.test/in")
    return { ...stage, back, browser: stage.host.browser }
  }

  it("DONE-01: leads where the sign-in led, and exchanges and stores nothing", async () => {
    const { back, browser, host, idp, adapter } = await complete()
    const [session, events] = [sessionNames(browser).map((name) => browser.cookies.get(name)), host.events.names()]
    const before = adapter.calls.length
    for (let n = 0; n < 3; n++) expect((await get(browser, back.href)).location).toBe("https://app.test/in")
    expect(idp.requests.token).toHaveLength(1)
    expect(sessionNames(browser).map((name) => browser.cookies.get(name))).toEqual(session)
    expect([host.events.names(), host.logger.errors]).toEqual([events, []])
    const writes = adapter.calls
      .slice(before)
      .map(({ method }) => method)
      .filter((method) => !method.startsWith("get"))
    expect(writes).toEqual([])
  })

  it("DONE-01: is the flow that the browser completed last", async () => {
    const { back, browser, host, idp, adapter, id } = await complete()
    const second = await sendBack({ host, idp, adapter, id }, "/other")
    await get(browser, second.href)
    expect((await get(browser, second.href)).location).toBe("https://app.test/other")
    expect((await get(browser, back.href)).location).toBe(checkRefused)
  })

  it("DONE-02: is refused in a browser that is signed out, even with the mark", async () => {
    const { back, browser, host, idp } = await complete()
    await post(browser, "/auth/signout")
    expect(browser.cookies.get(mark)).toBeDefined()
    expect((await get(browser, back.href)).location).toBe(checkRefused)
    expect(host.logger.errors).toMatchObject([
      { type: "InvalidCheck", message: "The browser completed the flow before, as a user who is not signed in now" },
    ])
    expect([idp.requests.token.length, await browser.session()]).toEqual([1, null])
  })

  it("DONE-02: is refused when another user signed in meanwhile", async () => {
    const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "2", email: "grace@corp.test" } })
    const { back, browser, host, idp } = await complete({
      config: {},
      provider: (own) => own.provider(),
    })
    const grace = openHost({
      ...host.config,
      providers: [other.provider()],
      network: { [other.origin]: other.handler },
    })
    await grace.browser.signIn("oidc")
    for (const name of sessionNames(browser)) browser.cookies.delete(name)
    copyAll(grace.browser, browser, sessionNames(grace.browser))
    expect((await browser.session())?.user?.email).toBe("grace@corp.test")
    expect((await get(browser, back.href)).location).toBe(checkRefused)
    expect(idp.requests.token).toHaveLength(1)
  })

  it("DONE-02: is refused when someone else planted it", async () => {
    const { browser, host, idp, adapter, id } = await complete()
    const thief = host.newBrowser()
    const planted = await sendBack({ host: { ...host, browser: thief }, idp, adapter, id })
    expect((await get(browser, planted.href)).location).toBe(checkRefused)
    await get(thief, planted.href)
    expect((await get(browser, planted.href)).location).toBe(checkRefused)
    // The mark of the thief's flow is of the thief's browser, and names its user.
    expect((await get(thief, planted.href)).location).toBe("https://app.test/in")
  })

  it.each([
    ["with another code", (url: URL) => url.searchParams.set("code", "other")],
    ["with another state", (url: URL) => url.searchParams.set("state", `${url.searchParams.get("state")}x`)],
    ["with a parameter more", (url: URL) => url.searchParams.append("code", "other")],
    ["at another provider", (url: URL) => (url.pathname = "/auth/callback/oidc2")],
  ])("DONE-02: is refused %s", async (_, change) => {
    const host = openHost({
      session: { strategy: "jwt" },
      providers: ({ idp }) => [idp.provider(), idp.provider({ id: "oidc2" })],
    })
    const { location } = await post(host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const sent = await host.idp.handler(new Request(location ?? ""))
    const back = new URL(sent.headers.get("location") ?? "")
    expect((await get(host.browser, back.href)).location).toBe("https://app.test/in")
    change(back)
    expect((await get(host.browser, back.href)).location).toMatch(/\/auth\/(error|signin)\?error=/)
    expect(host.idp.requests.token).toHaveLength(1)
  })

  it("DONE-02: is refused after fifteen minutes, with the mark that a browser kept", async () => {
    using clock = fixedClock()
    const { back, browser } = await complete()
    const kept = browser.cookies.get(mark) ?? ""
    clock.advance({ minutes: 17 })
    browser.cookies.set(mark, kept)
    expect((await get(browser, back.href)).location).toBe(checkRefused)
  })

  it("DONE-02: is refused with the mark of a service with another secret, or a changed one", async () => {
    const { back, browser, host } = await complete()
    const other: AuthConfig = { ...host.config, secret: "another-secret-of-the-test-that-is-long-enough" }
    const request = new Request(back, { headers: { cookie: cookiesOf(browser) } })
    const answer = await readAnswer(await Auth(request, other))
    expect(answer.location).toMatch(/error\?error=Configuration$/)
    const value = browser.cookies.get(mark) ?? ""
    browser.cookies.set(mark, `${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`)
    expect((await get(browser, back.href)).location).toBe(checkRefused)
  })

  it("DONE-01: is known to every process with the secret", async () => {
    const { back, browser, host } = await complete()
    const request = new Request(back, { headers: { cookie: cookiesOf(browser) } })
    const answer = await readAnswer(await Auth(request, { ...host.config }))
    expect(answer.location).toBe("https://app.test/in")
  })

  it("DONE-02: is refused with cookies from before it was completed", async () => {
    const stage = openStage({ strategy })
    const back = await sendBack(stage)
    const cookie = cookiesOf(stage.host.browser)
    await get(stage.host.browser, back.href)
    const answer = await ask(stage.host, `${back.pathname}${back.search}`, { cookie })
    expect([answer.location, sessionCookiesOf(answer.cookies)]).toEqual([checkRefused, []])
  })

  it("DONE-02, OAU-04: is refused with the check cookies of the flow, which only a copy has", async () => {
    const stage = openStage({ strategy })
    const back = await sendBack(stage)
    const { browser } = stage.host
    const copied = browser.cookies.list()
    await get(browser, back.href)
    for (const { name, value } of copied) browser.cookies.set(name, value)
    expect((await get(browser, back.href)).location).toBe(checkRefused)
    expect([stage.idp.requests.token.length, await browser.session()]).toEqual([1, expect.anything()])
  })

  it.each([
    ["the store fails", { getUser: fail, getSessionAndUser: fail }, {}],
    ["the app's callbacks fail", {}, { redirect: fail, session: fail }],
  ])("DONE-02: is answered while %s", async (_, override, callbacks) => {
    const { back, browser, host, adapter } = await complete()
    const broken: AuthConfig = { ...host.config, adapter: { ...adapter, ...override }, callbacks }
    const request = new Request(back, { headers: { cookie: cookiesOf(browser) } })
    expect((await Auth(request, broken)).status).toBe(302)
  })

  it("DONE-02: answers HEAD as before, and spends nothing", async () => {
    const { back, browser } = await complete()
    const response = await browser.fetch(back.href, { method: "HEAD" })
    expect(response.status).toBe(400)
    expect((await get(browser, back.href, { "sec-purpose": "prefetch" })).location).toBe("https://app.test/in")
  })

  it("DONE-01: leads to a callback URL that the app still allows", async () => {
    const { back, browser, host } = await complete()
    const strict: AuthConfig = { ...host.config, callbacks: { redirect: ({ baseUrl }) => `${baseUrl}/allowed` } }
    const request = new Request(back, { headers: { cookie: cookiesOf(browser) } })
    expect((await readAnswer(await Auth(request, strict))).location).toBe("https://app.test/allowed")
  })
})

const fail = async () => {
  throw new Error("the connection was cut")
}

const sessionCookiesOf = (cookies: ReadonlyMap<string, { readonly value: string }>) =>
  [...cookies].filter(([name, { value }]) => name.includes("session-token") && value !== "")

describe.each(strategies)("a mail that is used again, with %s sessions", (strategy) => {
  const email = "ada@corp.test"
  const open = () => openHost({ session: { strategy }, providers: [testEmail({ code: true })] })

  /** The link of the last mail, with where the sign-in leads. */
  async function request(host: TestHost): Promise<string> {
    await post(host.browser, "/auth/signin/email", { email, callbackUrl: "/in" })
    return host.mailbox.lastLink()
  }

  it("DONE-01: leads where the sign-in led: its link after the link, and after the code", async () => {
    for (const begin of ["link", "code"]) {
      const host = open()
      const link = await request(host)
      if (begin === "link") await get(host.browser, link)
      else await typeCode(host.browser, host.mailbox.lastCode(), { callbackUrl: "/in" })
      expect((await get(host.browser, link)).location, begin).toBe("https://app.test/in")
      expect(host.logger.errors).toEqual([])
    }
  })

  it("DONE-01: leads where the sign-in led when its code is sent twice", async () => {
    const host = open()
    await request(host)
    const code = host.mailbox.lastCode()
    for (let n = 0; n < 2; n++)
      expect((await typeCode(host.browser, code, { callbackUrl: "/in" })).location).toBe("https://app.test/in")
    const wrong = code === "000000" ? "000001" : "000000"
    expect((await typeCode(host.browser, wrong, { callbackUrl: "/in" })).location).toMatch(/error=/)
  })

  it("DONE-02: is refused with another password, which was not stored", async () => {
    const { host, signUp, lastTo } = openPasswords({ strategy })
    await signUp()
    const browser = host.newBrowser()
    await forget(browser)
    const link = pathOf(lastTo(person).link)
    const choose = (password: string) => post(browser, link, { password }, { headers: { accept: "application/json" } })
    expect((await choose(newPassword)).status).toBe(200)
    expect((await choose("yet another fine phrase")).json()).toMatchObject({ error: "Verification" })
  })

  it("DONE-02: is refused in another browser, and after a sign-out", async () => {
    const host = open()
    const link = await request(host)
    await get(host.browser, link)
    const other = host.newBrowser()
    expect(pathOfPage(await openElsewhere(other, link))).toBe(used)
    await post(host.browser, "/auth/signout")
    expect(pathOfPage(await openElsewhere(host.browser, link))).toBe(used)
  })
})

describe.each(strategies)("the page for the second factor, with %s sessions, which is opened again", (strategy) => {
  /** Signs in with both factors. */
  async function signIn(options: Parameters<typeof openFactors>[0] = {}) {
    const opened = await openFactors({ strategy, ...options })
    const { app } = await opened.enroll()
    clock.advance({ minutes: 1 })
    const browser = opened.host.newBrowser()
    await post(browser, "/auth/callback/cred", { name: address, callbackUrl: "/in" })
    return { ...opened, browser, app }
  }
  const pages = ["/auth/second-factor", "/auth/second-factor?kind=recovery&error=SecondFactorWrong"]

  let clock: ReturnType<typeof fixedClock>
  beforeEach(() => {
    clock = fixedClock()
  })
  afterEach(() => clock.restore())

  it("DONE-01: leads where the sign-in led", async () => {
    const { browser, app } = await signIn()
    expect((await get(browser, pages[0] ?? "")).status).toBe(200)
    await give(browser, await app.code())
    for (const page of pages) expect((await get(browser, page)).location, page).toBe("https://app.test/in")
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("DONE-01: leads there after a first factor was set up, too", async () => {
    const opened = await openFactors({ strategy, secondFactor: { require: "always" } })
    const browser = await opened.signIn()
    const { fields } = (await browser.open("/auth/second-factor")).form()
    const code = await authenticatorApp(browser.page?.find("code")?.text ?? "").code()
    await post(browser, "/auth/second-factor/enroll", { ticket: fields["ticket"] ?? "", code })
    expect((await get(browser, "/auth/second-factor")).location).toMatch(/^https:\/\/app\.test\/(?!auth)/)
  })

  it("DONE-02: asks to sign in after a sign-out, without the mark, and as another user", async () => {
    const { browser, app, adapter, host } = await signIn()
    await give(browser, await app.code())
    await adapter.createUser({ id: "u-bob", email: "bob@corp.test", name: "Bob", emailVerified: null })
    const other = host.newBrowser()
    await other.signIn("cred", { name: "bob@corp.test" })
    copyAll(browser, other, [mark])
    expect((await get(other, pages[0] ?? "")).location).toBe(expired)
    await post(browser, "/auth/signout")
    expect((await get(browser, pages[0] ?? "")).location).toBe(expired)
  })

  it("DONE-02: asks for the factor of a sign-in that waits now, and tells scripts that there is none", async () => {
    const { browser, app } = await signIn()
    await give(browser, await app.code())
    const asked = await get(browser, pages[0] ?? "", { accept: "application/json" })
    expect([asked.status, asked.json()]).toMatchObject([401, { error: "HeldExpired" }])
    clock.advance({ minutes: 1 })
    await post(browser, "/auth/callback/cred", { name: address })
    expect((await get(browser, pages[0] ?? "")).status).toBe(200)
  })
})

describe.each(strategies)("a form that is sent twice, with %s sessions", (strategy) => {
  it("DONE-01: leads where the sign-in led: a passkey", async () => {
    const { visitor } = openPasskeys({ strategy })
    const ada = visitor()
    await ada.register("ada@corp.test")
    await post(ada.browser, "/auth/signout")
    const data = await ada.device.get(await ada.request())
    for (let n = 0; n < 2; n++) expect((await ada.finish("authenticate", data)).location).toBe("https://app.test/in")
    await post(ada.browser, "/auth/signout")
    expect((await ada.finish("authenticate", data)).location).toBe(checkRefused)
  })

  it("DONE-01: leads where the sign-in led: a second factor, and the callback before it", async () => {
    using clock = fixedClock()
    const { enroll, host } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const { browser, idp } = { ...host, browser: host.newBrowser() }
    const begun = await post(browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const sent = await idp.handler(new Request(begun.location ?? ""))
    const back = sent.headers.get("location") ?? ""
    expect((await get(browser, back)).location).toBe("https://app.test/auth/second-factor")
    // Nothing is completed yet.
    expect((await get(browser, back)).location).toBe(checkRefused)
    const code = await app.code()
    for (let n = 0; n < 2; n++) expect((await give(browser, code)).location).toBe("https://app.test/in")
    expect((await get(browser, back)).location).toBe("https://app.test/in")
    expect((await browser.session())?.user?.email).toBe(address)
    await post(browser, "/auth/signout")
    expect((await give(browser, code)).location).toBe(expired)
    expect((await get(browser, back)).location).toBe(checkRefused)
  })
})
