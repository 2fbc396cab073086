import { setPassword } from "@latchkey/core/passwords"
import { authenticatorApp, fixedClock } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
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
import { get, post, postForm } from "../setup/requests.js"

const path = "/auth/password/reset"
const resetUrl = "https://app.test/auth/password/reset"
const oldUrl = "https://app.test/auth/password/forgot?error=Verification"

describe.each(strategies)("with %s sessions, a reset", (strategy) => {
  it("takes the code and the new password where it was asked for, and signs in", async () => {
    const { host, mails, lastTo, signUp } = openPasswords({ strategy })
    const former = await signUp()
    const { browser } = host
    await browser.open("/auth/signin")
    await browser.open(browser.page?.find('a[href$="password/forgot"]')?.attribute("href") ?? "")
    await browser.submit("form", { email: address })
    expect(browser.page?.url.href).toBe(resetUrl)
    const { code, subject } = lastTo(address)
    expect(subject).toBe("Choose a new password for app.test")
    await browser.submit("form", { code, password: newPassword })
    expect((await browser.session())?.user?.email).toBe(address)
    expect(mails.at(-1)?.subject).toBe("Your password at app.test was changed")
    expect(await isSignedIn(former)).toBe(false)
    for (const [typed, isRight] of [
      [password, false],
      [newPassword, true],
    ] as const) {
      const other = host.newBrowser()
      await signIn(other, typed)
      expect(await isSignedIn(other)).toBe(isRight)
    }
    expect(host.logger.records.filter(({ kind }) => kind === "password-changed")).toHaveLength(1)
    expect(host.leaks()).toEqual([])
  })

  it("goes on in any browser that opens the link, which is not used up by that", async () => {
    const { host, lastTo, signUp } = openPasswords({ strategy })
    await signUp()
    await forget(host.browser)
    const { link } = lastTo(address)
    for (let visit = 0; visit < 3; visit++) expect((await get(host.newBrowser(), pathOf(link))).status).toBe(200)
    const elsewhere = host.newBrowser()
    const page = await elsewhere.open(link)
    expect(page.text()).not.toContain(new URL(link).searchParams.get("token"))
    expect(page.headers.get("referrer-policy")).toBe("strict-origin")
    await elsewhere.submit("form", { password: newPassword })
    expect((await elsewhere.session())?.user?.email).toBe(address)
  })

  it("PASS-04: starts no session before the second factor", async () => {
    using clock = fixedClock()
    const { host, lastTo, signUp } = openPasswords({ strategy, hasSecondFactor: true })
    const owner = await signUp()
    const setup = await postForm(owner, "/auth/account/factors", { action: "begin-totp" })
    const { ticket, secret } = setup.json() as { ticket: string; secret: string }
    const app = authenticatorApp(secret)
    await postForm(owner, "/auth/account/factors", { action: "confirm-totp", ticket, code: await app.code() })
    clock.advance({ minutes: 1 })
    const { browser } = host
    await forget(browser)
    const answer = await postForm(browser, path, { code: lastTo(address).code, password: newPassword })
    expect(answer.location).toBe("https://app.test/auth/second-factor")
    expect(await isSignedIn(browser)).toBe(false)
    expect(browser.cookies.names().filter((name) => name.includes("session-token"))).toEqual([])
    expect(await isSignedIn(owner)).toBe(false)
    await browser.open("/auth/second-factor")
    await browser.submit("form", { code: await app.code() })
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("PASS-04: a sign-in by the new password waits for the second factor, too", async () => {
    using clock = fixedClock()
    const { host, signUp } = openPasswords({ strategy, hasSecondFactor: true })
    const owner = await signUp()
    const setup = await postForm(owner, "/auth/account/factors", { action: "begin-totp" })
    const { ticket, secret } = setup.json() as { ticket: string; secret: string }
    const app = authenticatorApp(secret)
    await postForm(owner, "/auth/account/factors", { action: "confirm-totp", ticket, code: await app.code() })
    clock.advance({ minutes: 1 })
    expect((await signIn(host.browser)).location).toBe("https://app.test/auth/second-factor")
    expect(await isSignedIn(host.browser)).toBe(false)
  })

  it("PASS-03: ends a sign-in by the former password that waits for the second factor", async () => {
    using clock = fixedClock()
    const { host, lastTo, signUp } = openPasswords({ strategy, hasSecondFactor: true })
    const owner = await signUp()
    const setup = await postForm(owner, "/auth/account/factors", { action: "begin-totp" })
    const { ticket, secret } = setup.json() as { ticket: string; secret: string }
    const app = authenticatorApp(secret)
    await postForm(owner, "/auth/account/factors", { action: "confirm-totp", ticket, code: await app.code() })
    clock.advance({ minutes: 1 })
    const [thief, other] = [host.newBrowser(), host.newBrowser()]
    await signIn(thief)
    await forget(other)
    await postForm(other, path, { code: lastTo(address).code, password: newPassword })
    const answer = await postForm(thief, "/auth/second-factor/totp", { code: await app.code() })
    expect(answer.location).toContain("error=SessionRequired")
    expect(await isSignedIn(thief)).toBe(false)
  })

  it("PASS-02: answers the same for an address without an account, and one without a password", async () => {
    const { host, adapter, lastTo, signUp } = openPasswords({ strategy })
    await signUp()
    await adapter.createUser({ id: "u-ben", email: "ben@example.com", emailVerified: new Date() })
    const answers = []
    for (const email of [address, "ben@example.com", "eve@example.com"]) {
      const browser = host.newBrowser()
      const answer = await forget(browser, email)
      const page = await browser.open(resetUrl)
      answers.push({
        status: answer.status,
        text: answer.text,
        headers: [...answer.headers].filter(([name]) => name !== "set-cookie"),
        cookies: [...answer.cookies].map(([name]) => name.replace(/\.[^.]*$/, "")),
        page: page.find("main")?.text.replaceAll(email, "(address)"),
      })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 302 })
    expect(lastTo("ben@example.com")).toMatchObject({ subject: "Your account at app.test has no password", code: "" })
    expect(lastTo("eve@example.com")).toMatchObject({ subject: "No account at app.test with this address", code: "" })
  })

  it("gives no password to an account that has none, for any code", async () => {
    const { host, adapter } = openPasswords({ strategy })
    await adapter.createUser({ id: "u-ben", email: "ben@example.com", emailVerified: new Date() })
    await forget(host.browser, "ben@example.com")
    await postForm(host.browser, path, { code: "123456", password: newPassword })
    expect(await adapter.getPassword("u-ben")).toBeNull()
    expect(await isSignedIn(host.browser)).toBe(false)
  })
})

describe("PASS-03: the link and the code of a reset are refused", () => {
  const refused: Readonly<Record<string, (setting: Awaited<ReturnType<typeof begun>>) => Promise<unknown>>> = {
    "after their use": ({ host, first }) => postForm(host.browser, path, { code: first.code, password: newPassword }),
    "after another reset": async ({ host, lastTo }) => {
      const other = host.newBrowser()
      await forget(other)
      await postForm(other, path, { code: lastTo(address).code, password: newPassword })
    },
    "after a change of the password": ({ owner }) =>
      postForm(owner, "/auth/password/change", { current: password, password: newPassword }),
    "after the host set the password": async ({ host, adapter }) =>
      setPassword(host.config, (await adapter.getUserByEmail(address))?.id ?? "", newPassword),
    "after an hour": async ({ clock }) => clock.advance({ minutes: 61 }),
  }

  async function begun() {
    const clock = fixedClock()
    const opened = openPasswords()
    const owner = await opened.signUp()
    clock.advance({ minutes: 1 })
    await forget(opened.host.browser)
    return { ...opened, owner, clock, first: opened.lastTo(address) }
  }

  it.each(Object.entries(refused))("%s", async (_, happen) => {
    const setting = await begun()
    using _clock = setting.clock
    const { host, adapter, first } = setting
    await happen(setting)
    const userId = (await adapter.getUserByEmail(address))?.id ?? ""
    const before = await adapter.getPassword(userId)
    const third = "a third password of words"
    const browser = host.newBrowser()
    expect((await postForm(browser, pathOf(first.link), { password: third })).location).toBe(oldUrl)
    const again = await post(host.browser, path, { code: first.code, password: third })
    // A code whose link was used says so there.
    expect(again.location).toMatch(/\/auth\/password\/forgot\?(?:error=Verification|refused=[\w-]+)$/)
    expect(await adapter.getPassword(userId)).toEqual(before)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it("links and codes of a reset are refused for a sign-up", async () => {
    const { host, lastTo, signUp, adapter } = openPasswords()
    await signUp()
    const userId = (await adapter.getUserByEmail(address))?.id ?? ""
    const before = await adapter.getPassword(userId)
    await postForm(host.browser, "/auth/password/sign-up", { email: "new@example.com", password })
    const { searchParams } = new URL(lastTo("new@example.com").link)
    for (const email of ["new@example.com", address]) {
      const token = searchParams.get("token") ?? ""
      expect((await postForm(host.newBrowser(), path, { token, email, password: newPassword })).location).toBe(oldUrl)
    }
    expect(await adapter.getPassword(userId)).toEqual(before)
  })

  it("links and codes of a reset are refused with the address of another account", async () => {
    const { host, lastTo, signUp, adapter } = openPasswords()
    await signUp()
    await signUp("ben@example.com")
    const userId = (await adapter.getUserByEmail("ben@example.com"))?.id ?? ""
    const before = await adapter.getPassword(userId)
    await forget(host.browser)
    const link = new URL(lastTo(address).link)
    link.searchParams.set("email", "ben@example.com")
    await postForm(host.newBrowser(), pathOf(link.href), { password: newPassword })
    expect(await adapter.getPassword(userId)).toEqual(before)
  })

  it("links and codes of a reset are refused after five wrong codes", async () => {
    const { host, lastTo, signUp } = openPasswords()
    await signUp()
    await forget(host.browser)
    const { code, link } = lastTo(address)
    const guess = code === "000000" ? "000001" : "000000"
    for (let n = 0; n < 5; n++) await postForm(host.browser, path, { code: guess, password: newPassword })
    expect((await postForm(host.browser, path, { code, password: newPassword })).location).toBe(oldUrl)
    expect((await postForm(host.newBrowser(), pathOf(link), { password: newPassword })).location).toBe(oldUrl)
  })
})

describe("a reset", () => {
  it("uses up neither code nor link for a password that is refused", async () => {
    const { host, lastTo, signUp } = openPasswords()
    await signUp()
    await forget(host.browser)
    for (let n = 0; n < 7; n++)
      expect((await postForm(host.browser, path, { code: lastTo(address).code, password: "short" })).status).toBe(400)
    await postForm(host.browser, path, { code: lastTo(address).code, password: newPassword })
    expect(await isSignedIn(host.browser)).toBe(true)
  })

  it("goes on although a sign-in replaces the hash of the same password meanwhile", async () => {
    const { host, adapter, lastTo, signUp } = openPasswords()
    await signUp()
    await forget(host.browser)
    const userId = (await adapter.getUserByEmail(address))?.id ?? ""
    const stored = await adapter.getPassword(userId)
    const setPasswordOf = vi.spyOn(adapter, "setPassword")
    const racing = openPasswords({
      adapter,
      secret: String(host.config.secret),
      override: {
        setPassword: async (given) => {
          if (setPasswordOf.mock.calls.length === 0 && stored) {
            const hash = `${stored.hash.slice(0, -1)}${stored.hash.endsWith("A") ? "E" : "A"}`
            await adapter.setPassword({ ...stored, hash, from: stored.hash })
          }
          return adapter.setPassword(given)
        },
      },
    })
    await postForm(racing.host.browser, pathOf(lastTo(address).link), { password: newPassword })
    expect(await isSignedIn(racing.host.browser)).toBe(true)
  })

  it("ends the sessions before the password is changed, so that a process that dies leaves none", async () => {
    const { host, adapter, lastTo, signUp } = openPasswords()
    const thief = await signUp()
    await forget(host.browser)
    const dying = openPasswords({
      adapter,
      secret: String(host.config.secret),
      override: { setPassword: () => Promise.reject(new Error("killed")) },
    })
    await postForm(dying.host.browser, pathOf(lastTo(address).link), { password: newPassword })
    expect((await adapter.listSessionsByUserId((await adapter.getUserByEmail(address))?.id ?? "")).length).toBe(0)
    expect(await isSignedIn(thief)).toBe(false)
    const owner = host.newBrowser()
    await signIn(owner)
    expect(await isSignedIn(owner)).toBe(true)
  })

  it("PASS-03: sets no password by a mail to an address that is replaced meanwhile", async () => {
    const { host, adapter, lastTo, signUp } = openPasswords()
    await signUp()
    const user = await adapter.getUserByEmail(address)
    const { setPassword: store } = adapter
    let isReplaced = false
    Object.assign(host.config.adapter ?? {}, {
      async setPassword(...values: Parameters<typeof store>) {
        if (!isReplaced) await adapter.updateUser({ id: user?.id ?? "", email: "new@example.com" })
        isReplaced = true
        return store(...values)
      },
    })
    await forget(host.browser)
    const elsewhere = host.newBrowser()
    const answer = await postForm(elsewhere, pathOf(lastTo(address).link), { password: newPassword })
    expect([isReplaced, answer.location, await isSignedIn(elsewhere)]).toEqual([true, oldUrl, false])
    for (const typed of [password, newPassword]) {
      const other = host.newBrowser()
      await signIn(other, typed, "new@example.com")
      expect(await isSignedIn(other)).toBe(false)
    }
  })

  it("PASS-01: leaves no account to someone who may hold it by another way, unverified", async () => {
    const { host, adapter, lastTo } = openPasswords()
    await adapter.createUser({ id: "u-ada", email: address, emailVerified: null })
    await setPassword(host.config, "u-ada", password)
    await adapter.linkAccount({ userId: "u-ada", provider: "elsewhere", providerAccountId: "attacker", type: "oidc" })
    await forget(host.browser)
    const answer = await postForm(host.browser, path, { code: lastTo(address).code, password: newPassword })
    expect(answer.location).toContain("error=AccountNotLinked")
    expect(await isSignedIn(host.browser)).toBe(false)
  })

  it("verifies the address of an imported account, which had nothing but its password", async () => {
    const { host, adapter, lastTo } = openPasswords()
    await adapter.createUser({ id: "u-ada", email: address, emailVerified: null })
    await setPassword(host.config, "u-ada", password)
    await forget(host.browser)
    await postForm(host.browser, path, { code: lastTo(address).code, password: newPassword })
    expect((await adapter.getUserByEmail(address))?.emailVerified).toBeInstanceOf(Date)
    expect(await isSignedIn(host.browser)).toBe(true)
  })

  it("PASS-09: is mailed as a link of the app's own address", async () => {
    const { host, lastTo, signUp } = openPasswords()
    await signUp()
    const headers = { "x-forwarded-host": "evil.test", forwarded: "host=evil.test" }
    await postForm(
      host.browser,
      "/auth/password/forgot",
      { email: address, callbackUrl: "https://evil.test" },
      { headers },
    )
    expect(lastTo(address).link).toMatch(/^https:\/\/app\.test\/auth\/password\/reset\?token=[0-9a-f]{64}&email=/)
    const { code } = lastTo(address)
    const answer = await postForm(host.browser, path, { code, password: newPassword })
    expect(answer.location).toBe("https://app.test")
  })

  it("emails strangers nothing with mailUnknownAddresses: false", async () => {
    const { host, mails } = openPasswords({ passwords: { mailUnknownAddresses: false } })
    expect((await forget(host.browser, "eve@example.com")).location).toBe(resetUrl)
    expect(mails).toEqual([])
  })

  it("emails one address no more than the budget allows, and answers the same", async () => {
    const { host, mails, signUp } = openPasswords({ rateLimit: {}, clientAddress: () => "192.0.2.1" })
    await signUp()
    const before = mails.length
    const answers = []
    for (let n = 0; n < 4; n++) answers.push((await forget(host.newBrowser())).location)
    expect([answers, mails.length - before]).toEqual([[resetUrl, resetUrl, resetUrl, resetUrl], 1])
  })

  it("needs the CSRF token", async () => {
    const { host, mails } = openPasswords()
    const body = new URLSearchParams({ email: address })
    const send = (each: string) => host.browser.fetch(`/auth/password/${each}`, { method: "POST", body })
    for (const each of ["forgot", "sign-up"]) {
      const answer = await send(each)
      expect([answer.status, (await answer.text()).includes("Your form expired")]).toEqual([403, true])
    }
    // Nothing waits for a code, and nobody is signed in.
    expect((await send("reset")).headers.get("location")).toBe("https://app.test/auth/password/forgot")
    expect((await send("change")).headers.get("location")).toContain("error=SessionRequired")
    expect(mails).toEqual([])
  })

  it("leads to the first form in a browser that asked for nothing", async () => {
    const { host } = openPasswords()
    expect((await get(host.browser, path)).location).toBe("https://app.test/auth/password/forgot")
    expect((await get(host.browser, `${path}?token=x&email=y`)).location).toBe(oldUrl)
  })
})

describe("a passkey of an unverified account", () => {
  it("PASS-01: keeps a reset by the mailbox from taking over an account that someone else set up", async () => {
    const { host, adapter, lastTo } = openPasswords({})
    await adapter.createUser({ id: "u-ada", email: address, emailVerified: null })
    await setPassword(host.config, "u-ada", password)
    const credential = { credentialID: "c", credentialPublicKey: "k", counter: 0, credentialDeviceType: "singleDevice" }
    const rest = { credentialBackedUp: false, transports: null, providerAccountId: "c", userId: "u-ada" }
    await adapter.createAuthenticator({ ...credential, ...rest })
    await forget(host.browser)
    const answer = await postForm(host.browser, path, { code: lastTo(address).code, password: newPassword })
    expect(answer.location).toContain("error=AccountNotLinked")
  })
})
