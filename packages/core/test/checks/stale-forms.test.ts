import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { type Browser, fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { begin, clients } from "../setup/native-setup.js"
import { address, newPassword, openPasswords, password } from "../setup/password-setup.js"
import { ask } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const app = "https://app.test"
const csrfCookie = "__Host-authjs.csrf-token"

function open() {
  return openPasswords({
    accountArea: accountArea(),
    nativeApps: nativeApps({ clients }),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    others: [testEmail()],
  })
}

interface Sent {
  /** Undefined: none is sent. */
  readonly origin?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly accept?: string
}

/** Sends a form of the signed-in user whose CSRF cookie the browser has lost. */
function send(browser: Browser, path: string, { origin, fields = {}, accept = "text/html" }: Sent) {
  const cookie = cookiesOf(browser)
    .split("; ")
    .filter((pair) => !pair.startsWith(csrfCookie))
    .join("; ")
  const headers = { accept, ...(origin !== undefined && { origin }) }
  const form = { csrfToken: "0".repeat(64), ...fields }
  return ask(browserHost(browser), path, { cookie, form, headers })
}

const hosts = new WeakMap<Browser, ReturnType<typeof open>["host"]>()
const browserHost = (browser: Browser) => {
  const host = hosts.get(browser)
  if (!host) throw new Error("The browser has no host")
  return host
}

async function signIn() {
  const opened = open()
  const browser = await opened.signUp()
  hosts.set(browser, opened.host)
  const user = await opened.adapter.getUserByEmail(address)
  return { ...opened, browser, nameOf: async () => (await opened.adapter.getUser(user?.id ?? ""))?.name ?? null }
}

/** Every page with a form for signed-in users, its fields, and the values that may come back. */
const forms: readonly (readonly [path: string, fields: Readonly<Record<string, string>>, back: readonly string[]])[] = [
  [
    "/auth/account/profile",
    { action: "save", name: "Eve <b>", image: "https://x.test/?a=1" },
    ["Eve <b>", "https://x.test/?a=1"],
  ],
  ["/auth/account/email", { action: "send", email: "eve@example.com" }, ["eve@example.com"]],
  ["/auth/account/sessions", { action: "end-others" }, []],
  ["/auth/account/delete", { action: "delete", confirm: "typed@example.com" }, []],
  ["/auth/account/factors", { action: "begin-totp" }, []],
  ["/auth/account/export", { action: "download" }, []],
  ["/auth/password/change", { current: password, password: newPassword }, []],
  ["/auth/password/forgot", { email: "eve@example.com" }, ["eve@example.com"]],
  [
    "/auth/password/sign-up",
    { email: "eve@example.com", name: "Eve", password: newPassword },
    ["eve@example.com", "Eve"],
  ],
]

const valuesOf = (html: string): readonly string[] =>
  [...html.matchAll(/<input(?![^>]*type="hidden")[^>]* value="([^"]*)"/g)].map(([, value = ""]) =>
    value.replaceAll("&lt;", "<").replaceAll("&amp;", "&"),
  )

describe("a form beside a session, whose CSRF cookie was lost", () => {
  it.each(forms)(
    "CSRF-18: %s is shown again with a notice, does nothing, and keeps no password",
    async (path, fields, back) => {
      const { browser, host, adapter, mails, nameOf } = await signIn()
      const before = mails.length
      const answer = await send(browser, path, { origin: app, fields })
      expect([answer.status, answer.location]).toEqual([403, null])
      expect(answer.text).toContain('<p class="notice-heading">Your form expired</p>')
      expect(answer.text).toMatch(/<title>Your form expired – /)
      for (const value of back) expect(valuesOf(answer.text)).toContain(value)
      for (const secret of [password, newPassword, "typed@example.com", "Eve <b>"])
        expect(answer.text).not.toContain(secret)
      expect(answer.cookies.has(csrfCookie)).toBe(true)
      expect([mails.length, await nameOf(), (await adapter.listSessionsByUserId("x")).length]).toEqual([
        before,
        null,
        0,
      ])
      expect(host.leaks()).toEqual([])
    },
  )

  it("works when it is sent again", async () => {
    const { browser, nameOf } = await signIn()
    await browser.open("/auth/account/profile")
    browser.cookies.delete(csrfCookie)
    const again = await browser.submit("form", { name: "Eve" })
    expect(again.text()).toContain("Your form expired")
    expect((await browser.submit("form")).url.search).toBe("?done=saved")
    expect(await nameOf()).toBe("Eve")
  })

  it.each([
    ["no origin", undefined],
    ["a hidden origin", "null"],
    ["another origin", "https://evil.test"],
    ["an origin that begins with ours", `${app}.evil.test`],
    ["another port", `${app}:8443`],
    ["another scheme", "http://app.test"],
  ])("CSRF-18: shows nothing that was typed in a form with %s", async (_, origin) => {
    const { browser, nameOf } = await signIn()
    for (const [path, fields, back] of forms) {
      const answer = await send(browser, path, { ...(origin !== undefined && { origin }), fields })
      expect([path, answer.text.includes("done=")]).toEqual([path, false])
      for (const value of back)
        expect([path, valuesOf(answer.text)]).not.toEqual([path, expect.arrayContaining([value])])
      expect(answer.text).not.toContain("Eve")
    }
    expect(await nameOf()).toBeNull()
  })

  it("CSRF-18: shows a value as text", async () => {
    const { browser } = await signIn()
    const name = '"><script>alert(1)</script>'
    const { text } = await send(browser, "/auth/account/profile", { origin: app, fields: { action: "save", name } })
    expect(text).not.toContain("<script")
    expect(text).toContain('value="&quot;>&lt;script>')
  })

  it("CSRF-18: has no code, no password of another form, and no value that is too long", async () => {
    const { browser } = await signIn()
    const fields = {
      code: "123456",
      password: newPassword,
      current: password,
      token: "t".repeat(64),
      name: "n".repeat(3000),
    }
    for (const [path] of forms) {
      const { text } = await send(browser, path, { origin: app, fields })
      expect(text).not.toMatch(/123456|t{64}|n{100}/)
      expect(text).not.toContain(newPassword)
    }
  })

  it("CSRF-18: leads to no other site, whatever the form says", async () => {
    const { browser } = await signIn()
    const fields = { email: "eve@example.com", callbackUrl: "https://evil.test/" }
    const { text } = await send(browser, "/auth/password/forgot", { origin: app, fields })
    expect(text).not.toContain("evil.test")
  })

  it("is the page that asks who the user is, and the question of an app", async () => {
    using clock = fixedClock()
    const { browser } = await signIn()
    const question = await browser.open(begin().path)
    const target = new URL(question.form("form").action)
    const asked = await send(browser, target.pathname + target.search, { origin: app, fields: { choice: "continue" } })
    expect([asked.status, asked.text.includes("Sign in to Example for iOS?")]).toEqual([403, true])
    clock.advance({ minutes: 11 })
    const confirm = "/auth/confirm/password?callbackUrl=%2Fsettings"
    const page = await send(browser, confirm, { origin: app, fields: { email: address, password } })
    expect([page.status, page.text.includes("Confirm it’s you"), page.text.includes("Your form expired")]).toEqual([
      403,
      true,
      true,
    ])
  })

  it("is refused as JSON to a client that asks for JSON", async () => {
    const { browser } = await signIn()
    const answer = await send(browser, "/auth/account/profile", { origin: app, accept: "application/json" })
    const message = "Your form expired"
    expect([answer.status, answer.json()]).toEqual([
      403,
      { error: "MissingCSRF", message, reference: expect.any(String) },
    ])
  })

  it("leads to the sign-in page without a session", async () => {
    const { host } = open()
    const browser = host.newBrowser()
    hosts.set(browser, host)
    const answer = await send(browser, "/auth/account/profile", { origin: app, fields: { name: "Eve" } })
    expect(answer.location).toContain("error=SessionRequired")
  })
})
