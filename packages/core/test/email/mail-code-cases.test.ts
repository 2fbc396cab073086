import type { EmailUserConfig } from "@latchkey/core/types"
import { type Browser, fixedClock, type MemoryAdapter, memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import {
  email,
  expectUnsaid,
  isSignedIn,
  type MailHost,
  openElsewhere,
  openMail,
  openMailWith,
  typeCode,
} from "../setup/mail-setup.js"
import { type Strategy, strategies } from "../setup/oauth-stage.js"
import { at, isTooMany, only } from "../setup/rate-limit-setup.js"
import { type Answer, get } from "../setup/requests.js"
import { expectQuiet, pathOfPage } from "../setup/sign-ins.js"

const wrongPage = "/auth/verify-request?provider=email&type=email&error=CodeWrong"
const spentPage = "/auth/signin?error=Verification"
const usedPage = "/auth/error?error=Verification"

/** A host whose mails have a link and a code. */
const openCodes = (strategy: Strategy, provider: EmailUserConfig = {}): MailHost =>
  openMailWith(strategy, { code: true, ...provider })

const pathOf = ({ location }: Answer) => (location ?? "").replace("https://app.test", "")

/** Another code than the right one. */
const wrong = ({ mailbox }: Pick<MailHost, "mailbox">, n = 1) =>
  String((Number(mailbox.lastCode()) + n) % 1_000_000).padStart(6, "0")

/** The browser's cookies, in another browser. */
function copyCookies(from: Browser, to: Browser): Browser {
  for (const { name, value } of from.cookies.list()) to.cookies.set(name, value)
  return to
}

const flowNames = ({ cookies }: Browser) => cookies.names().filter((name) => name.includes("authjs.mail."))

describe.each(strategies)("the code of a mail, with %s sessions", (strategy) => {
  it("signs in where it was asked for, and leads to the page that the sign-in began for", async () => {
    const host = openCodes(strategy)
    const page = await host.browser.signIn("email", { email, callbackUrl: "/in" })
    expect(page.find("input[name=code]")?.attribute("autocomplete")).toBe("one-time-code")
    const arrived = await host.browser.submit("form", { code: host.mailbox.lastCode() })
    expect(arrived.url.href).toBe("https://app.test/in")
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(host.events.names()).toEqual(["createUser", "signIn", "session"])
  })

  it("CODE-03: is refused in a browser that did not ask for it, and uses up no guess of the one that did", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    const code = host.mailbox.lastCode()
    const stranger = host.newBrowser()
    for (let n = 0; n < 10; n++) expect(pathOf(await typeCode(stranger, code))).toBe(spentPage)
    await stranger.signIn("email", { email: "a@evil.test" })
    const flow = flowNames(host.browser)[0]?.split("mail.")[1] ?? ""
    for (let n = 0; n < 10; n++) expect(pathOf(await typeCode(stranger, code, { flow }))).toBe(spentPage)
    expect(pathOf(await typeCode(stranger, code))).toMatch(/CodeWrong/)
    await expectQuiet(host, stranger)
    expect(isSignedIn(await typeCode(host.browser, code))).toBe(true)
  })

  it("CODE-03: tells a visitor without a flow to use the link or to ask again", async () => {
    const host = openCodes(strategy)
    await host.browser.open("/auth/signin")
    await typeCode(host.browser, "123456")
    const page = await host.browser.open(spentPage)
    expect(page.text()).toContain("Open the link in the email, or request a new code below.")
  })

  it("is sent again by the button, which says so and then waits for thirty seconds", async () => {
    using clock = fixedClock()
    const host = openCodes(strategy)
    const first = await host.browser.signIn("email", { email })
    expect(first.text()).not.toContain("We sent a new email")
    clock.advance({ seconds: 5 })
    const again = async () => (await host.browser.submit("form[action$='/signin/email']")).text()
    const resent = await again()
    expect(resent).toContain("We sent a new email.")
    expect(resent).toContain("You can try again in 30 seconds.")
    clock.advance({ seconds: 12 })
    expect(await again()).toContain("You can try again in 18 seconds.")
    expect(host.mailbox.messages).toHaveLength(2)
    clock.advance({ seconds: 18 })
    expect(await again()).toContain("You can try again in 30 seconds.")
    expect(host.mailbox.messages).toHaveLength(3)
    expect(isSignedIn(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(true)
  })

  it("CODE-05: says that its link was used, once the right code is typed", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    await openElsewhere(host.newBrowser(), host.mailbox.lastLink())
    expect(pathOf(await typeCode(host.browser, wrong(host, 1)))).toBe(wrongPage)
    expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
    const text = (await host.browser.open(spentPage)).text()
    expect(text).toContain("This code no longer works")
    expect(text).toContain("The link in its email was already used. Continue where it was opened")
  })

  it("CODE-04: is dead after five wrong guesses, with its link", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    const pages: string[] = []
    for (let n = 1; n <= 5; n++) pages.push(pathOf(await typeCode(host.browser, wrong(host, n))))
    expect(pages).toEqual([...Array(4).fill(wrongPage), spentPage])
    expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe(usedPage)
    expect(pathOfPage(await openElsewhere(host.newBrowser(), host.mailbox.lastLink()))).toBe(usedPage)
    await expectQuiet(host, host.browser)
  })

  it("CODE-04: is guessed at five times for fifty guesses at once", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    await host.browser.csrfToken()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => typeCode(host.browser, wrong(host, n + 1))))
    expect(answers.filter((answer) => pathOf(answer) === wrongPage)).toHaveLength(4)
    expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
  })

  it.each(["12345", "1234567", "", "abcdef", "12 34", "१२३४५६", "1".repeat(10_000), "123456\0"])(
    "CODE-04: counts %j as a wrong guess",
    async (typed) => {
      const host = openCodes(strategy)
      await host.browser.signIn("email", { email })
      expect(pathOf(await typeCode(host.browser, typed))).toBe(wrongPage)
      for (let n = 1; n < 5; n++) await typeCode(host.browser, typed)
      expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
    },
  )

  it.each<[string, (code: string) => string]>([
    ["blanks around and between", (code) => ` ${code.slice(0, 3)} ${code.slice(3)}\n`],
    ["a dash", (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ["a typographic dash and a no-break space", (code) => `${code.slice(0, 2)}\u2013\u00a0${code.slice(2)}`],
    ["full-width digits", (code) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
    ["an invisible mark", (code) => `\u200e${code}\u200b`],
  ])("is accepted with %s", async (_, change) => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    expect(isSignedIn(await typeCode(host.browser, change(host.mailbox.lastCode())))).toBe(true)
  })

  it("CODE-05: starts one session with its link, for fifty requests at once", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    await host.browser.csrfToken()
    const [link, code] = [host.mailbox.lastLink(), host.mailbox.lastCode()]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 ? get(host.browser, link) : typeCode(host.browser, code))),
    )
    expect(answers.filter(isSignedIn)).toHaveLength(1)
    expect(host.events.of("createUser")).toHaveLength(1)
  })

  it("CODE-05: starts one session for fifty right codes at once", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    await host.browser.csrfToken()
    const code = host.mailbox.lastCode()
    const answers = await Promise.all(Array.from({ length: 50 }, () => typeCode(host.browser, code)))
    expect(answers.filter(isSignedIn)).toHaveLength(1)
  })

  it("CODE-06: is refused after success, also with copied cookies", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    const thief = copyCookies(host.browser, host.newBrowser())
    const code = host.mailbox.lastCode()
    expect(isSignedIn(await typeCode(host.browser, code))).toBe(true)
    for (const browser of [thief, host.browser]) expect(isSignedIn(await typeCode(browser, code))).toBe(false)
    expect(pathOfPage(await openElsewhere(thief, host.mailbox.lastLink()))).toBe(usedPage)
    expect(await thief.session()).toBeNull()
  })

  it("CODE-06: is void once the mail is sent again, also with the cookies of the first; the first link works", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    const [code, link] = [host.mailbox.lastCode(), host.mailbox.lastLink()]
    const old = copyCookies(host.browser, host.newBrowser())
    await host.browser.signIn("email", { email })
    expect(host.mailbox.messages).toHaveLength(2)
    expect(flowNames(host.browser)).toHaveLength(1)
    expect(pathOf(await typeCode(old, code))).toBe(spentPage)
    expect(pathOf(await typeCode(old, host.mailbox.lastCode()))).toBe(spentPage)
    if (code !== host.mailbox.lastCode()) expect(pathOf(await typeCode(host.browser, code))).toBe(wrongPage)
    await host.browser.open(link)
    expect(await host.browser.session()).not.toBeNull()
  })

  it("CODE-06: is refused with the sealed cookie of another flow, provider or purpose", async () => {
    const adapter = memoryAdapter()
    const providers = [testEmail({ code: true }), testEmail({ id: "other", code: true })]
    const host = openHost({ adapter, session: { strategy }, providers })
    await host.browser.signIn("other", { email })
    const [otherName = ""] = flowNames(host.browser)
    const sealed = host.browser.cookies.get(otherName) ?? ""
    const code = host.mailbox.lastCode()
    expect(pathOf(await typeCode(host.browser, code))).toBe(spentPage)
    const thief = host.newBrowser()
    thief.cookies.set(`${otherName.slice(0, -1)}${otherName.endsWith("_") ? "-" : "_"}`, sealed)
    expect(pathOf(await typeCode(thief, code, {}, "other"))).toBe(spentPage)
    thief.cookies.set(otherName, host.browser.cookies.get("__Host-authjs.csrf-token") ?? "")
    expect(pathOf(await typeCode(thief, code, {}, "other"))).toBe(spentPage)
    expect(isSignedIn(await typeCode(host.browser, code, {}, "other"))).toBe(true)
  })

  it("CODE-08: is not in the subject, URL, title, referrer, cookies, log or store", async () => {
    const host = openCodes(strategy, { opening: "code" })
    await host.browser.signIn("email", { email })
    const code = host.mailbox.lastCode()
    await typeCode(host.browser, wrong(host))
    const answer = await get(host.newBrowser(), host.mailbox.lastLink())
    expect(answer.text.split(code)).toHaveLength(2)
    expect(/<title>.*<\/title>/.exec(answer.text)?.[0]).not.toContain(code)
    expect(answer.headers.get("referrer-policy")).toBe("strict-origin")
    expect(host.mailbox.lastLink()).not.toContain(`=${code}`)
    expect(host.browser.cookies.list().map(({ value }) => value)).not.toContain(code)
    expect(host.adapter.calls.flatMap(({ args }) => args).map(String)).not.toContain(code)
    expectUnsaid({ ...host, answers: [] }, [code])
    expect(isSignedIn(await typeCode(host.browser, code))).toBe(true)
  })

  it("CODE-10: counts the guesses of all flows, browsers and networks together", async () => {
    const host = openMail({ code: true }, { session: { strategy }, rateLimit: only("failuresPerAccount", 12) })
    const answers: Answer[] = []
    for (let n = 0; n < 5; n++) {
      const browser = at(host, `198.51.100.${n}`)
      await browser.signIn("email", { email })
      for (let guess = 1; guess <= 5; guess++) answers.push(await typeCode(browser, wrong(host, guess)))
    }
    expect(answers.filter(isTooMany)).toHaveLength(13)
    expect(answers.filter(isSignedIn)).toHaveLength(0)
  })

  it("CODE-10: counts guesses at a provider that sent no code", async () => {
    const host = openMail({ code: true }, { session: { strategy }, rateLimit: only("failuresPerNetwork", 20) })
    const browser = at(host, "198.51.100.7")
    const answers: Answer[] = []
    for (let n = 0; n < 25; n++) answers.push(await typeCode(browser, String(100_000 + n)))
    expect(answers.filter(isTooMany)).toHaveLength(5)
  })

  it("works for ten minutes, to the second; its link works on", async () => {
    using clock = fixedClock()
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 600 })
    expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 599 })
    expect(isSignedIn(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(true)
  })

  it("expires with its link if that is sooner", async () => {
    using clock = fixedClock()
    const host = openCodes(strategy, { maxAge: 60 })
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 60 })
    expect(pathOf(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(spentPage)
  })

  it("is refused without a CSRF token, and uses up no guess", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email })
    const code = host.mailbox.lastCode()
    for (let n = 0; n < 6; n++) {
      const body = new URLSearchParams({ code })
      const answer = await host.browser.fetch("/auth/callback/email", { method: "POST", body })
      expect(answer.headers.get("location")).toContain("error=MissingCSRF")
    }
    expect(isSignedIn(await typeCode(host.browser, code))).toBe(true)
  })

  it("is answered as JSON, with the URL to go to, for scripts", async () => {
    const host = openCodes(strategy)
    await host.browser.signIn("email", { email, callbackUrl: "/in" })
    const send = async (code: unknown) => {
      const json = { code, csrfToken: await host.browser.csrfToken() }
      const headers = { "x-auth-return-redirect": "1" }
      return host.browser.fetch("/auth/callback/email", { method: "POST", json, headers })
    }
    expect(await (await send(wrong(host))).json()).toEqual({ url: `https://app.test${wrongPage}` })
    expect((await send(123456)).status).toBe(400)
    expect(await (await send(host.mailbox.lastCode())).json()).toEqual({ url: "https://app.test/in" })
    expect(await host.browser.session()).not.toBeNull()
  })

  it("can be asked for in three tabs, each for its own address", async () => {
    const host = openCodes(strategy)
    const addresses = ["a@corp.test", "b@corp.test", "c@corp.test"]
    const tabs = addresses.map(() => host.browser.newTab())
    for (const [n, tab] of tabs.entries()) await tab.signIn("email", { email: addresses[n] ?? "" })
    const codes = host.mailbox.messages.map(({ code }) => code ?? "")
    await tabs[0]?.submit("form", { code: codes[0] ?? "" })
    expect((await host.browser.session())?.user?.email).toBe("a@corp.test")
    await host.browser.signIn("email", { email: "d@corp.test" })
    expect(flowNames(host.browser)).toHaveLength(3)
    expect(pathOf(await typeCode(host.browser, codes[0] ?? "", {}))).toMatch(/CodeWrong/)
  })
})

describe("guesses at a code in two processes", () => {
  const open = (adapter: MemoryAdapter, secret: string) =>
    openHost({ adapter, secret, providers: [testEmail({ code: true })] })

  it("CODE-04: are counted together by a store with consumeOnce", async () => {
    const [adapter, secret] = [memoryAdapter(), `${"s".repeat(16)}0123456789abcdef`]
    const [one, other] = [open(adapter, secret), open(adapter, secret)]
    await one.browser.signIn("email", { email })
    copyCookies(one.browser, other.browser)
    const code = one.mailbox.lastCode()
    for (let n = 0; n < 3; n++) await typeCode(one.browser, wrong(one))
    for (let n = 0; n < 2; n++) await typeCode(other.browser, wrong(one))
    expect(pathOf(await typeCode(other.browser, code))).toBe(spentPage)
    expect(pathOfPage(await openElsewhere(one.newBrowser(), one.mailbox.lastLink()))).toBe(usedPage)
    expect(adapter.calls.filter(({ method }) => method === "consumeOnce").length).toBeGreaterThan(0)
  })
})
