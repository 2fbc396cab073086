import { Auth } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { type AuthenticatorApp, authenticatorApp, type Browser, fixedClock, type Page } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post, readAnswer, requestTo } from "../setup/requests.js"
import { address, openFactors, strategies } from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const setupPath = "/auth/account/factors?step=set-up"
const codesPath = "/auth/second-factor/codes"
const keyOf = (page: Page): string => page.find("code")?.text.replaceAll(" ", "") ?? ""
const headingOf = (page: Page): string | undefined => page.find("h1")?.text
/** The recovery codes on a page. */
const listCodes = (text: string): readonly string[] => text.match(/[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}/g) ?? []
const page = { accept: "text/html" }
const codesIn = async (browser: Browser) => listCodes((await get(browser, codesPath, page)).text)
const textOf = async (browser: Browser, path: string) => (await get(browser, path, page)).text

type Options = Parameters<typeof openFactors>[0]

const open = (options: Options = {}) => openFactors({ accountArea: accountArea(), ...options })

/** Where a key is shown, and how a user gets there. */
const places: Readonly<Record<string, { readonly options?: Options; readonly path: string }>> = {
  "in the account area": { path: setupPath },
  "during a sign-in": { options: { secondFactor: { require: "always" } }, path: "/auth/second-factor" },
  "before a change": { path: "/auth/confirm?callbackUrl=%2Fpay&factors=2" },
}

describe.each(strategies)("pages that are loaded again, with %s sessions", (strategy) => {
  describe.each(Object.entries(places))("%s", (_, { options, path }) => {
    it("show the same key until it is confirmed, also after a wrong code", async () => {
      const hosting = await open({ strategy, ...options })
      const browser = await hosting.signIn()
      const key = keyOf(await browser.open(path))
      expect(key).toMatch(/^[A-Z2-7]{32}$/)
      expect(keyOf(await browser.open(path))).toBe(key)
      const app = authenticatorApp(key)
      const wrong = await browser.submit("form", { code: await app.wrongCode() })
      expect([keyOf(wrong), wrong.find("[role=alert]")?.text]).toEqual([key, expect.stringContaining("did not work")])
      const again = await browser.open(wrong.url.href)
      expect([keyOf(again), again.find("[role=alert]")?.text]).toEqual([key, expect.stringContaining("did not work")])
      const saved = await browser.submit("form", { code: await app.code() })
      expect([saved.url.pathname, saved.url.search]).toEqual([codesPath, ""])
      expect(headingOf(saved)).toBe("Save your recovery codes")
    })

    it("FAC-10: show recovery codes until they are saved", async () => {
      const hosting = await open({ strategy, ...options })
      const browser = await hosting.signIn()
      const key = keyOf(await browser.open(path))
      await browser.submit("form", { code: await authenticatorApp(key).code() })
      const codes = await codesIn(browser)
      expect(codes).toHaveLength(10)
      expect(await codesIn(browser)).toEqual(codes)
      await browser.open(codesPath)
      const next = await browser.submit("form.form")
      expect(next.url.pathname).not.toBe(codesPath)
      expect(await codesIn(browser)).toEqual([])
      expect(headingOf(await browser.open(codesPath))).toBe("Your recovery codes are no longer shown")
    })
  })
})

interface Shown {
  readonly browser: Browser
  readonly app: AuthenticatorApp
  readonly key: string
  readonly codes: readonly string[]
}

/** Sets up an app in the account area, up to the page with the recovery codes. */
async function setUp(hosting: Awaited<ReturnType<typeof open>>): Promise<Shown> {
  const browser = await hosting.signIn()
  const key = keyOf(await browser.open(setupPath))
  const app = authenticatorApp(key)
  await browser.submit("form", { code: await app.code() })
  return { browser, app, key, codes: await codesIn(browser) }
}

/** Everything that the browser has except the session and its proof. */
function copyShown(from: Browser, to: Browser): void {
  for (const name of ["__Host-authjs.codes", "__Host-authjs.setup"]) {
    const value = from.cookies.get(name)
    if (value !== undefined) to.cookies.set(name, value, { path: "/" })
  }
}

describe.each(strategies)("FAC-10: recovery codes, with %s sessions", (strategy) => {
  it("are not shown in another session of the user, nor to another user", async () => {
    using clock = fixedClock()
    const hosting = await open({ strategy })
    const { browser, app } = await setUp(hosting)
    clock.advance({ minutes: 1 })
    const other = await hosting.signIn()
    await other.submit("form", { code: await app.code() })
    copyShown(browser, other)
    expect(await codesIn(other)).toEqual([])
    await hosting.adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = hosting.host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    copyShown(browser, mal)
    expect(await codesIn(mal)).toEqual([])
    expect(await codesIn(browser)).toHaveLength(10)
  })

  it("are not shown after ten minutes", async () => {
    using clock = fixedClock()
    const hosting = await open({ strategy })
    const { browser } = await setUp(hosting)
    clock.advance({ minutes: 9 })
    expect(await codesIn(browser)).toHaveLength(10)
    clock.advance({ minutes: 2 })
    expect(await codesIn(browser)).toEqual([])
  })

  it("are not shown after the sign-out, nor to the user who signs in next in this browser", async () => {
    using clock = fixedClock()
    const hosting = await open({ strategy })
    const { browser, app } = await setUp(hosting)
    const kept = new Map(browser.cookies.names().map((name) => [name, browser.cookies.get(name) ?? ""]))
    await browser.signOut()
    expect(browser.cookies.names()).not.toContain("__Host-authjs.codes")
    browser.cookies.set("__Host-authjs.codes", kept.get("__Host-authjs.codes") ?? "", { path: "/" })
    expect((await get(browser, codesPath, page)).location).toContain("/auth/signin?error=SessionRequired")
    // With the former session, too.
    for (const [name, value] of kept) browser.cookies.set(name, value, { path: "/" })
    expect((await get(browser, codesPath, page)).location).toContain("/auth/signin?error=SessionRequired")
    clock.advance({ minutes: 1 })
    await hosting.signIn(browser)
    await browser.submit("form", { code: await app.code() })
    browser.cookies.set("__Host-authjs.codes", kept.get("__Host-authjs.codes") ?? "", { path: "/" })
    expect(await codesIn(browser)).toEqual([])
  })

  it("are not shown by a copied cookie at any process once they are saved, used or replaced", async () => {
    using clock = fixedClock()
    const hosting = await open({ strategy, session: { strategy, track: trackSessions({ checkEvery: 3600 }) } })
    const { browser, app } = await setUp(hosting)
    const cookie = cookiesOf(browser)
    const ask = async () => {
      const config: AuthConfig = { ...hosting.host.config, providers: hosting.host.config.providers }
      const answer = await readAnswer(await Auth(requestTo(codesPath, { cookie, headers: page }), config))
      return listCodes(answer.text).length
    }
    expect(await ask()).toBe(10)
    await post(browser, codesPath, {}, { headers: page })
    expect(await ask()).toBe(0)
    clock.advance({ minutes: 1 })
    await hosting.signIn(browser)
    await browser.submit("form", { code: await app.code() })
    await post(browser, "/auth/account/factors", { action: "create-recovery-codes" }, { headers: page })
    const codes = await codesIn(browser)
    expect(codes).toHaveLength(10)
    const other = await hosting.signIn()
    await other.open("/auth/second-factor?kind=recovery")
    await other.submit("form", { code: codes[0] ?? "" })
    expect((await other.session())?.user?.email).toBe(address)
    expect(await codesIn(browser)).toEqual([])
  })

  it("are a file to download, for the same session alone", async () => {
    const hosting = await open({ strategy })
    const { browser, codes } = await setUp(hosting)
    const file = await post(browser, codesPath, { action: "download" }, { headers: page })
    expect([file.status, file.headers.get("content-type"), file.headers.get("cache-control")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      expect.stringContaining("no-store"),
    ])
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="recovery-codes.txt"')
    expect(file.text.split("\r\n")).toEqual(["app.test", address, "", ...codes, ""])
    const forged = await browser.fetch(codesPath, {
      method: "POST",
      headers: page,
      body: new URLSearchParams({ csrfToken: "forged", action: "download" }),
    })
    expect(await forged.text()).not.toContain(codes[0])
    await post(browser, codesPath, {}, { headers: page })
    const gone = await post(browser, codesPath, { action: "download" }, { headers: page })
    expect([gone.location, gone.text]).toEqual([`https://app.test${codesPath}`, ""])
  })

  it("are in no URL, no log, no JSON and no cache, and neither is the key", async () => {
    const hosting = await open({ strategy, debug: true })
    const { browser, key, codes } = await setUp(hosting)
    const shown = await get(browser, codesPath, page)
    expect(shown.headers.get("cache-control")).toContain("no-store")
    expect((await get(browser, codesPath, { accept: "application/json" })).status).toBe(405)
    await post(browser, codesPath, {}, { headers: page })
    const texts = [...hosting.host.logger.texts(), JSON.stringify(hosting.adapter.calls)]
    const urls = hosting.host.answers.map((answer) => JSON.stringify(answer)).filter((text) => /location/.test(text))
    for (const text of [key, ...codes]) {
      expect(texts.filter((each) => each.includes(text))).toEqual([])
      expect(urls.filter((each) => new RegExp(`location[^}]*${text}`).test(each))).toEqual([])
    }
  })
})

describe("FAC-10: a key", () => {
  it("is not shown in another session, to another user, after ten minutes, after the sign-out or once it is confirmed", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const browser = await hosting.signIn()
    const key = keyOf(await browser.open(setupPath))
    const other = await hosting.signIn()
    copyShown(browser, other)
    expect(keyOf(await other.open(setupPath))).not.toBe(key)
    await hosting.adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = hosting.host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    copyShown(browser, mal)
    expect(keyOf(await mal.open(setupPath))).not.toBe(key)
    const cookie = cookiesOf(browser)
    await browser.submit("form", { code: await authenticatorApp(key).code() })
    const replayed = await readAnswer(await Auth(requestTo(setupPath, { cookie, headers: page }), hosting.host.config))
    expect(replayed.text.replaceAll(" ", "")).not.toContain(key)
    const next = keyOf(await browser.open(setupPath))
    clock.advance({ minutes: 11 })
    await hosting.signIn(browser)
    await browser.submit("form", { code: await authenticatorApp(key).code() })
    expect(keyOf(await browser.open(setupPath))).not.toBe(next)
    await browser.signOut()
    expect(browser.cookies.names()).not.toContain("__Host-authjs.setup")
  })

  it("can be set up after the store has failed", async () => {
    using _clock = fixedClock()
    const hosting = await open({ secondFactor: { require: "always" } })
    const browser = await hosting.signIn()
    const first = await browser.open("/auth/second-factor")
    const key = keyOf(first)
    const app = authenticatorApp(key)
    const adapter = { ...hosting.adapter, createFactor: () => Promise.reject(new Error("down")) }
    const form = { ...first.form().fields, code: await app.code() }
    const request = requestTo("/auth/second-factor/enroll", { form, cookie: cookiesOf(browser), headers: page })
    expect((await Auth(request, { ...hosting.host.config, adapter } as AuthConfig)).status).toBe(503)
    expect(keyOf(await browser.open("/auth/second-factor"))).toBe(key)
    expect(headingOf(await browser.submit("form", { code: await app.code() }))).toBe("Save your recovery codes")
  })

  it("that is too old leads to a new one, and a form that is sent twice to the list", async () => {
    using clock = fixedClock()
    const hosting = await open()
    const browser = await hosting.signIn()
    const old = await browser.open(setupPath)
    const form = { ...old.form().fields, code: await authenticatorApp(keyOf(old)).code() }
    clock.advance({ minutes: 11 })
    await hosting.signIn(browser)
    const stale = await post(browser, "/auth/account/factors", form, { headers: page })
    expect(stale.location).toBe(`https://app.test${setupPath}&error=StaleSetup`)
    const fresh = await browser.open(setupPath)
    const twice = { ...fresh.form().fields, code: await authenticatorApp(keyOf(fresh)).code() }
    await post(browser, "/auth/account/factors", twice, { headers: page })
    const second = await post(browser, "/auth/account/factors", twice, { headers: page })
    expect(second.location).toBe("https://app.test/auth/account/factors?done=added")
  })

  it("is a link to an authenticator app on the same device", async () => {
    const hosting = await open()
    const browser = await hosting.signIn()
    const shown = await browser.open(setupPath)
    const uri = shown.find("a.qr")?.attribute("href")
    expect(uri).toMatch(/^otpauth:\/\/totp\/app\.test:/)
    expect(uri).toContain(keyOf(shown))
    expect(shown.find("a.open-app")?.attribute("href")).toBe(uri)
  })

  it("lets the page run its script where no other page runs one", async () => {
    const hosting = await open()
    const { browser } = await setUp(hosting)
    expect((await get(browser, codesPath, page)).headers.get("content-security-policy")).toContain("script-src 'self'")
    expect(await textOf(browser, codesPath)).toContain("/auth/second-factor/page.js?v=")
  })
})

describe("a path that only has forms", () => {
  it("leads a browser to its page", async () => {
    const hosting = await open()
    const { browser } = await setUp(hosting)
    for (const kind of ["totp", "recovery", "enroll"]) {
      expect((await get(browser, `/auth/second-factor/${kind}`, page)).location).toBe(
        "https://app.test/auth/second-factor",
      )
      expect((await get(browser, `/auth/confirm/${kind}?callbackUrl=%2Fpay`, page)).location).toBe(
        "https://app.test/auth/confirm?callbackUrl=%2Fpay",
      )
    }
  })
})
