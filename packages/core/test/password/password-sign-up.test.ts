import { createHash } from "node:crypto"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  address,
  forget,
  isSignedIn,
  newPassword,
  openPasswords,
  password,
  pathOf,
  signIn,
  strategies,
} from "../setup/password-setup.js"
import { get, postForm } from "../setup/requests.js"

const path = "/auth/password/sign-up"
const codeUrl = "https://app.test/auth/password/sign-up?step=code"

describe.each(strategies)("with %s sessions, a sign-up", (strategy) => {
  it("stores the name without characters that a database refuses", async () => {
    const { host, adapter, lastTo } = openPasswords({ strategy })
    await postForm(host.browser, path, { email: address, name: `A\0da ${"\u{1f600}".repeat(200)}`, password })
    await postForm(host.browser, path, { email: address, code: lastTo(address).code ?? "" })
    expect((await adapter.getUserByEmail(address))?.name).toBe(`A da ${"\u{1f600}".repeat(95)}`)
  })

  it("makes the account when the code is typed, and signs in", async () => {
    const { host, adapter, lastTo } = openPasswords({ strategy })
    const { browser } = host
    await browser.open(path)
    await browser.submit("form", { email: address, name: "Ada", password })
    expect(await adapter.getUserByEmail(address)).toBeNull()
    expect(await isSignedIn(browser)).toBe(false)
    expect(browser.page?.url.href).toBe(codeUrl)
    expect(lastTo(address).subject).toBe("Confirm your address for app.test")
    await browser.submit("form", { code: lastTo(address).code })
    expect((await browser.session())?.user).toMatchObject({ email: address, name: "Ada" })
    expect((await adapter.getUserByEmail(address))?.emailVerified).toBeInstanceOf(Date)
    expect(host.events.of("createUser")).toHaveLength(1)
    expect(host.events.of("signIn")[0]).toMatchObject({ isNewUser: true })
    const other = host.newBrowser()
    await signIn(other)
    expect(await isSignedIn(other)).toBe(true)
    expect(host.leaks()).toEqual([])
  })

  it("makes the account when its browser opens the link", async () => {
    const { host, lastTo } = openPasswords({ strategy })
    await postForm(host.browser, path, { email: address, password })
    await host.browser.open(lastTo(address).link)
    expect((await host.browser.session())?.user?.email).toBe(address)
    expect((await get(host.newBrowser(), pathOf(lastTo(address).link))).status).toBe(200)
    await host.browser.open(lastTo(address).link)
    expect(host.browser.page?.find("[role=alert]")?.text).toMatch(/^This link or code no longer works/)
  })

  it("PASS-01: gives nothing to an attacker who chose a password for the victim's address", async () => {
    const { host, adapter, lastTo } = openPasswords({ strategy })
    const attacker = host.newBrowser()
    await postForm(attacker, path, { email: address, password: newPassword })
    const victim = host.newBrowser()
    const page = await victim.open(lastTo(address).link)
    expect(page.find("h1")?.text).toBe("Choose a password")
    expect(await adapter.getUserByEmail(address)).toBeNull()
    await victim.submit("form", { password })
    expect((await victim.session())?.user?.email).toBe(address)
    expect(await isSignedIn(attacker)).toBe(false)
    await signIn(attacker, newPassword)
    expect(await isSignedIn(attacker)).toBe(false)
    for (const code of ["000000", "123456"]) await postForm(attacker, path, { code })
    expect(await isSignedIn(attacker)).toBe(false)
  })

  it("PASS-01: gives nothing to an attacker whose victim created the account in another way meanwhile", async () => {
    const { host, adapter, signUp } = openPasswords({ strategy })
    const attacker = host.newBrowser()
    await postForm(attacker, path, { email: address, password: newPassword })
    await signUp()
    const before = await adapter.getPassword((await adapter.getUserByEmail(address))?.id ?? "")
    await postForm(attacker, path, { code: "000000" })
    await signIn(attacker, newPassword)
    expect(await isSignedIn(attacker)).toBe(false)
    expect(await adapter.getPassword(before?.userId ?? "")).toEqual(before)
  })

  it("PASS-01: changes no account that exists when the mailbox is proved", async () => {
    const { host, adapter, lastTo } = openPasswords({ strategy })
    await postForm(host.browser, path, { email: address, password: newPassword })
    await adapter.createUser({ id: "u-other", email: address, emailVerified: null })
    const answer = await postForm(host.browser, path, { code: lastTo(address).code })
    expect(answer.status).toBe(400)
    expect(await isSignedIn(host.browser)).toBe(false)
    expect(await adapter.getPassword("u-other")).toBeNull()
  })

  it("PASS-02: answers the same for an address that has an account, and emails its owner", async () => {
    const { host, signUp, lastTo, adapter } = openPasswords({ strategy })
    await signUp()
    const stored = await adapter.getPassword((await adapter.getUserByEmail(address))?.id ?? "")
    const answers = []
    for (const email of [address, "eve@example.com"]) {
      const browser = host.newBrowser()
      const answer = await postForm(browser, path, { email, password: newPassword })
      const page = await browser.open(codeUrl)
      const cookies = [...answer.cookies].map(([name, { value }]) => [name.replace(/\.[^.]*$/, ""), value.length])
      answers.push({
        status: answer.status,
        text: answer.text,
        headers: [...answer.headers].filter(([name]) => name !== "set-cookie"),
        cookies: email === address ? cookies : cookies,
        page: page.find("main")?.text.replaceAll(email, "(address)"),
      })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 302 })
    expect(lastTo(address)).toMatchObject({ subject: "You already have an account at app.test", code: "" })
    expect(await adapter.getPassword(stored?.userId ?? "")).toEqual(stored)
  })
})

describe("a sign-up", () => {
  it("MAIL-16: HEAD for its link is answered, even in the browser that asked for it, and does not use the link up", async () => {
    const { host, adapter, lastTo } = openPasswords()
    await postForm(host.browser, path, { email: address, password })
    const { link } = lastTo(address)
    for (const browser of [host.browser, host.newBrowser()]) {
      const answer = await browser.fetch(link, { method: "HEAD" })
      expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([200, "", []])
    }
    expect(await adapter.getUserByEmail(address)).toBeNull()
    await host.browser.open(link)
    expect((await host.browser.session())?.user?.email).toBe(address)
  })

  it("takes five guesses at its code, and the link ends with the last", async () => {
    const { host, adapter, lastTo } = openPasswords()
    await postForm(host.browser, path, { email: address, password })
    const { code, link } = lastTo(address)
    const guess = code === "000000" ? "000001" : "000000"
    for (let n = 0; n < 5; n++) expect((await postForm(host.browser, path, { code: guess })).status).toBe(400)
    expect((await postForm(host.browser, path, { code })).status).toBe(400)
    const elsewhere = host.newBrowser()
    await elsewhere.open(link)
    await elsewhere.submit("form", { password })
    expect(await adapter.getUserByEmail(address)).toBeNull()
  })

  it("ends after an hour, its code after ten minutes", async () => {
    using clock = fixedClock()
    const { host, adapter, lastTo } = openPasswords()
    await postForm(host.browser, path, { email: address, password })
    clock.advance({ minutes: 11 })
    expect((await postForm(host.browser, path, { code: lastTo(address).code })).status).toBe(400)
    clock.advance({ minutes: 50 })
    await host.browser.open(lastTo(address).link)
    expect(await adapter.getUserByEmail(address)).toBeNull()
  })

  it("PASS-03: is not completed by the secret of another purpose", async () => {
    const { host, lastTo, signUp } = openPasswords()
    await signUp()
    await forget(host.browser)
    const reset = new URL(lastTo(address).link)
    const elsewhere = host.newBrowser()
    await elsewhere.open(`${path}${reset.search}`)
    await elsewhere.submit("form", { password: newPassword })
    expect(await isSignedIn(elsewhere)).toBe(false)
    await postForm(host.browser, path, { code: lastTo(address).code })
    expect(await isSignedIn(host.browser)).toBe(false)
  })

  it("PASS-09: emails a link of the app's own address, not of one in the form or the headers", async () => {
    const { host, lastTo } = openPasswords()
    const headers = { "x-forwarded-host": "evil.test", forwarded: "host=evil.test", referer: "https://evil.test/" }
    await postForm(host.browser, path, { email: address, password, callbackUrl: "https://evil.test/" }, { headers })
    expect(new URL(lastTo(address).link).origin).toBe("https://app.test")
    expect(lastTo(address).link).not.toContain("evil")
    await host.browser.open(lastTo(address).link)
    expect(host.browser.page?.url.origin).toBe("https://app.test")
  })

  it("leads where its visitor was going", async () => {
    const { host, lastTo } = openPasswords()
    await postForm(host.browser, path, { email: address, password, callbackUrl: "/inside" })
    const answer = await postForm(host.browser, path, { code: lastTo(address).code })
    expect(answer.location).toBe("https://app.test/inside")
  })

  it.each([
    ["5 characters", "short", "too-short"],
    ["1,025 characters", "x1".repeat(513), "too-long"],
    ["one repeated letter", "aaaaaaaaaaaaaaaaaaaa", "blocked"],
    ["the address and four digits", "ada@example.com1234", "blocked"],
    ["a blocked word, twice", "Harbour Harbour 12", "blocked"],
    ["a row of the keyboard", "qwertyuiopasdfgh", "blocked"],
    ["a common password", "1Qaz2wsx3edc4rfv", "breached"],
    ["a common password, twice", "sunshine sunshine", "breached"],
    ["a tab", "correct\thorse battery staple", "characters"],
    ["nothing", "", "missing"],
  ])("refuses %s as a password, and says why on the page and as JSON", async (_, chosen, code) => {
    const { host, mails } = openPasswords({ passwords: { blocked: ["harbour"] } })
    const page = await postForm(host.browser, path, { email: address, password: chosen })
    expect([page.status, page.text.includes('role="alert"')]).toEqual([400, true])
    if (chosen.length > 4) expect(page.text.replaceAll("ada@example.com", "")).not.toContain(chosen)
    const headers = { accept: "application/json" }
    const answer = await postForm(host.browser, path, { email: address, password: chosen }, { headers })
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({ error: "PasswordRefused", code, field: "password" })
    expect(mails).toEqual([])
  })

  it("refuses a password of the parts of the address", async () => {
    const { host, mails } = openPasswords()
    const answer = await postForm(host.browser, path, {
      email: "ada.lovelace@example.com",
      password: "Ada Lovelace 1815",
    })
    expect([answer.status, mails]).toEqual([400, []])
  })

  it("accepts a shorter password beside a second factor that everyone needs", async () => {
    const { secondFactors, totp } = await import("@latchkey/core/second-factors")
    const short = { email: address, password: "eight ch" }
    const { host } = openPasswords()
    expect((await postForm(host.browser, path, short)).status).toBe(400)
    const strict = openPasswords({ secondFactors: secondFactors({ factors: [totp()], require: "always" }) })
    expect((await postForm(strict.host.browser, path, short)).location).toBe(codeUrl)
  })

  it("refuses what is no address, and keeps it in the form", async () => {
    const { host } = openPasswords()
    const page = await postForm(host.browser, path, { email: "no address", password })
    expect([page.status, page.text.includes('value="no address"')]).toEqual([400, true])
    expect(page.text).not.toContain(password)
  })

  it("keeps the name in the form when it refuses the password", async () => {
    const { host } = openPasswords()
    const page = await postForm(host.browser, path, { email: address, name: "Ada", password: "too short" })
    expect([page.status, page.text.includes('value="Ada"')]).toEqual([400, true])
  })

  it("says that the mail could not be sent, and lets it be asked for again", async () => {
    let isDown = true
    const sent: string[] = []
    const send = ({ to }: { to: string }) => {
      if (isDown) throw new Error("down")
      sent.push(to)
    }
    const { host } = openPasswords({ passwords: { mail: { send } }, rateLimit: {}, clientAddress: () => "192.0.2.1" })
    const page = await postForm(host.browser, path, { email: address, password })
    expect([page.status, page.text.includes("The email could not be sent")]).toEqual([400, true])
    isDown = false
    expect((await postForm(host.browser, path, { email: address, password })).location).toBe(codeUrl)
    expect(sent).toEqual([address])
  })

  it("does not exist with signUp: false", async () => {
    const { host } = openPasswords({ passwords: { signUp: false } })
    expect((await get(host.browser, path)).status).toBe(400)
    expect((await host.browser.open("/auth/signin")).findAll('a[href*="password/"]')).toHaveLength(1)
  })

  it("is led through by JSON", async () => {
    const { host, lastTo } = openPasswords()
    const headers = { accept: "application/json" }
    expect((await get(host.browser, path, headers)).json()).toEqual({ step: "form" })
    const begun = await postForm(host.browser, path, { email: address, password }, { headers })
    expect(begun.json()).toEqual({ url: codeUrl })
    const wrong = await postForm(host.browser, path, { code: "abc" }, { headers })
    expect([wrong.status, wrong.json()]).toMatchObject([400, { error: "CodeWrong", field: "code" }])
    const done = await postForm(host.browser, path, { code: lastTo(address).code }, { headers })
    expect(done.json()).toEqual({ url: "https://app.test" })
    expect(await isSignedIn(host.browser)).toBe(true)
  })
})

describe("a new password that was made public", () => {
  const sha1 = createHash("sha1").update(password).digest("hex").toUpperCase()

  it("is refused by the app's own list", async () => {
    const { host } = openPasswords({ passwords: { breached: { has: (hash) => hash === sha1 } } })
    const headers = { accept: "application/json" }
    const answer = await postForm(host.browser, path, { email: address, password }, { headers })
    expect(answer.json()).toMatchObject({ error: "PasswordRefused", code: "breached" })
    expect((await postForm(host.browser, path, { email: address, password: newPassword })).location).toBe(codeUrl)
  })

  const away: readonly (readonly [string, () => boolean])[] = [
    [
      "is away",
      () => {
        throw new Error("away")
      },
    ],
    ["returns nothing", () => undefined as never], // as: in JavaScript it can
  ]

  it.each(away)("is accepted while the list %s, and its user is told after the next sign-in", async (_, first) => {
    let answer = first
    const { host, signUp, mails } = openPasswords({ passwords: { breached: { has: () => answer() } } })
    await signUp()
    expect(host.logger.warnings).toContain("breached-list-unavailable")
    answer = () => true
    const before = mails.length
    const browser = host.newBrowser()
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
    await signIn(host.newBrowser())
    expect(mails.slice(before).map(({ subject }) => subject)).toEqual([
      "Your app.test password appeared in a data breach",
    ])
  })
})
