import { accountArea } from "@latchkey/core/account-area"
import { type Browser, fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { address, forget, openPasswords, password, type Strategy, strategies } from "../setup/password-setup.js"
import { post, postForm } from "../setup/requests.js"

type Opened = ReturnType<typeof open>

const open = (strategy: Strategy) =>
  openPasswords({ strategy, accountArea: accountArea(), others: [testEmail({ code: true })] })

const html = { headers: { accept: "text/html" } }
const newAddress = "new@example.com"

interface Page {
  /** Leads a browser to the page that follows an email. */
  readonly begin: (opened: Opened) => Promise<Browser>
  readonly path: string
  readonly to: string
}

/** Every page that follows an email, except that of sign-in links. */
const pages: Readonly<Record<string, Page>> = {
  "a sign-up": {
    path: "/auth/password/sign-up?step=code",
    to: newAddress,
    async begin({ host }) {
      await post(host.browser, "/auth/password/sign-up", { email: newAddress, password }, html)
      return host.browser
    },
  },
  "a sign-up with an address that has an account": {
    path: "/auth/password/sign-up?step=code",
    to: address,
    async begin({ host, signUp }) {
      await signUp()
      await post(host.browser, "/auth/password/sign-up", { email: address, password }, html)
      return host.browser
    },
  },
  "a reset": {
    path: "/auth/password/reset",
    to: address,
    async begin({ host, signUp }) {
      await signUp()
      await forget(host.browser)
      return host.browser
    },
  },
  "a reset of an address without an account": {
    path: "/auth/password/reset",
    to: newAddress,
    async begin({ host }) {
      await forget(host.browser, newAddress)
      return host.browser
    },
  },
  "a first password": {
    path: "/auth/password/change",
    to: newAddress,
    async begin({ host }) {
      await host.browser.signIn("email", { email: newAddress })
      await host.browser.open(host.mailbox.lastLink())
      await post(host.browser, "/auth/password/change", { action: "send-code" }, html)
      return host.browser
    },
  },
  "another address": {
    path: "/auth/account/email",
    to: newAddress,
    async begin({ signUp }) {
      const browser = await signUp()
      await post(browser, "/auth/account/email", { action: "send", email: newAddress }, html)
      return browser
    },
  },
}

const resendForm = "main form:has(input[name=again])"

/** Presses the button that sends the email again. */
async function press(browser: Browser, path: string) {
  const page = await browser.open(path)
  const form = page.forms().find(({ fields }) => "again" in fields)
  if (!form) throw new Error(`No form of ${path} sends the email again: ${resendForm}`)
  return browser.submit(form)
}

describe.each(strategies)("an email that is sent again, with %s sessions", (strategy) => {
  it.each(Object.entries(pages))("%s: is confirmed, and not sent within thirty seconds", async (_, page) => {
    using clock = fixedClock()
    const opened = open(strategy)
    const browser = await page.begin(opened)
    const count = () => opened.mails.filter(({ to }) => to === page.to).length
    const first = count()
    expect((await browser.open(page.path)).text()).not.toContain("We sent a new email")
    clock.advance({ seconds: 5 })
    const resent = await press(browser, page.path)
    expect(resent.text()).toContain("We sent a new email.")
    expect(resent.text()).toContain("You can try again in 30 seconds.")
    expect(resent.find("[data-wait]")?.attribute("data-wait")).toBe("30")
    expect(resent.find('script[src*="/auth/wait.js?v="]')).not.toBeNull()
    expect(resent.headers.get("content-security-policy")).toContain("script-src 'self'")
    clock.advance({ seconds: 12 })
    const early = await press(browser, page.path)
    expect(early.text()).toContain("You can try again in 18 seconds.")
    clock.advance({ seconds: 18 })
    await press(browser, page.path)
    // For an address that gets no email, too, the page is the same.
    expect([0, 2]).toContain(count() - first)
    clock.advance({ seconds: 30 })
    const waited = await browser.open(page.path)
    expect(waited.text()).not.toContain("You can try again")
    expect(waited.find("[data-wait]")).toBeNull()
  })

  it.each(Object.entries(pages))("%s: does not wait longer after the clock was set back", async (_, page) => {
    using clock = fixedClock()
    const opened = open(strategy)
    const browser = await page.begin(opened)
    clock.advance({ seconds: 5 })
    await press(browser, page.path)
    clock.advance({ seconds: -50 })
    const shown = await browser.open(page.path)
    expect(shown.text()).not.toContain("You can try again")
    expect((await press(browser, page.path)).text()).toContain("We sent a new email.")
  })

  it("RATE-11: waits in every browser, also in one that has lost its cookie", async () => {
    using clock = fixedClock()
    const opened = open(strategy)
    await opened.signUp()
    const { mails, host } = opened
    const [one, other] = [host.newBrowser(), host.newBrowser()]
    for (const browser of [one, other]) await forget(browser)
    clock.advance({ minutes: 1 })
    const again = { email: address, again: "true" }
    const before = mails.length
    await post(one, "/auth/password/forgot", again, html)
    await post(other, "/auth/password/forgot", again, html)
    const waiting = (await other.open("/auth/password/reset")).text()
    expect(waiting).toMatch(/You can try again in \d+ seconds/)
    expect(waiting).not.toContain("We sent a new email")
    await post(host.newBrowser(), "/auth/password/forgot", again, html)
    expect(mails.length - before).toBe(1)
    await post(one, "/auth/password/sign-up", { email: "else@example.com", password, again: "true" }, html)
    expect(mails.length - before).toBe(2)
    clock.advance({ seconds: 30 })
    await post(other, "/auth/password/forgot", again, html)
    expect(mails.length - before).toBe(3)
  })
})

describe("a sign-up whose email was sent again", () => {
  it("is finished by the newest code, with the password that was chosen at first", async () => {
    using clock = fixedClock()
    const opened = open("jwt")
    const browser = await pages["a sign-up"]?.begin(opened)
    if (!browser) throw new Error("There is no such page")
    const former = opened.lastTo(newAddress).code
    clock.advance({ seconds: 31 })
    await press(browser, "/auth/password/sign-up?step=code")
    const { code } = opened.lastTo(newAddress)
    expect(code).not.toBe(former)
    await post(browser, "/auth/password/sign-up", { code }, html)
    expect((await browser.session())?.user?.email).toBe(newAddress)
    const later = opened.host.newBrowser()
    await post(later, "/auth/callback/password", { email: newAddress, password })
    expect(await later.session()).not.toBeNull()
  })

  it("begins again in a browser that has lost its cookie", async () => {
    const { browser } = open("jwt").host
    const answer = await post(browser, "/auth/password/sign-up", { flow: "a".repeat(19), again: "true" }, html)
    expect(answer.location).toBe("https://app.test/auth/password/sign-up")
  })
})

describe.each(strategies)("a code whose link was used in another browser, with %s sessions", (strategy) => {
  const used = "The link in its email was already used."

  it("CODE-05: says so on the page of a sign-up", async () => {
    const { host, lastTo } = open(strategy)
    await post(host.browser, "/auth/password/sign-up", { email: newAddress, password }, html)
    const { code, link } = lastTo(newAddress)
    const other = host.newBrowser()
    await other.open(link)
    await other.submit("form", { password })
    expect((await other.session())?.user?.email).toBe(newAddress)
    const page = await postForm(host.browser, "/auth/password/sign-up", { code }, html)
    expect(page.text).toContain(used)
    expect(page.text).toContain("Create an account</h1>")
    expect(await host.browser.session()).toBeNull()
  })

  it("CODE-05: says so on the page of a reset", async () => {
    const { host, lastTo, signUp } = open(strategy)
    await signUp()
    await forget(host.browser)
    const { code, link } = lastTo(address)
    const other = host.newBrowser()
    await other.open(link)
    await other.submit("form", { password: "another staple of words" })
    const fields = { code, password: "a third password of words" }
    const page = await postForm(host.browser, "/auth/password/reset", fields, html)
    expect(page.text).toContain(used)
    expect(page.text).toContain('action="https://app.test/auth/password/forgot"')
    const json = await post(host.browser, "/auth/password/reset", fields, { headers: { accept: "application/json" } })
    expect([json.status, Object(json.json()).error]).toEqual([400, "Verification"])
  })

  it("CODE-05: says so on the page of a new address", async () => {
    const { host, lastTo, signUp } = open(strategy)
    const browser = await signUp()
    await post(browser, "/auth/account/email", { action: "send", email: newAddress }, html)
    const { code, link } = lastTo(newAddress)
    const other = host.newBrowser()
    await post(other, "/auth/callback/password", { email: address, password })
    await other.open(link)
    await other.submit("main form")
    await post(browser, "/auth/callback/password", { email: newAddress, password })
    const page = await postForm(browser, "/auth/account/email", { action: "confirm", code }, html)
    expect(page.text).toContain(used)
    const confirm = { action: "confirm", code }
    const json = await post(browser, "/auth/account/email", confirm, { headers: { accept: "application/json" } })
    expect([json.status, Object(json.json()).code]).toEqual([400, "spent"])
  })
})
