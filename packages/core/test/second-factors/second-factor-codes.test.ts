import { Auth } from "@latchkey/core"
import type { AuthConfig, CredentialsConfig } from "@latchkey/core/types"
import { authenticatorApp, fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { only } from "../setup/rate-limit-setup.js"
import { post, readAnswer, requestTo } from "../setup/requests.js"
import {
  address,
  begin,
  change,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  strategies,
} from "../setup/second-factor-setup.js"

const heldCookie = "__Host-authjs.held"
const wrong = "https://app.test/auth/second-factor?kind=totp&error=SecondFactorWrong"
const expired = "https://app.test/auth/signin?error=SessionRequired"

describe.each(strategies)("a held sign-in with %s sessions", (strategy) => {
  it("FAC-02: is not completed by the code of another user", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll, signIn } = await openFactors({ strategy })
    await enroll()
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const setup = await begin(mal)
    const malsApp = authenticatorApp(setup.secret)
    await change(mal, "confirm-totp", { ticket: setup.ticket, code: await malsApp.code() })
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    expect((await give(browser, await malsApp.code())).location).toBe(wrong)
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it("FAC-02: is completed once, at four processes that share the store", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const csrfToken = await browser.csrfToken()
    const cookie = browser.cookies
      .list()
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
    const processes = Array.from({ length: 4 }, () => ({ ...(host.config as AuthConfig) }))
    const answers = []
    for (const config of processes) {
      const request = requestTo("/auth/second-factor/totp", { form: { csrfToken, code: await app.code() }, cookie })
      answers.push(await readAnswer(await Auth(request, config)))
      clock.advance({ seconds: 30 })
    }
    const started = answers.map(({ cookies }) => [...cookies.keys()].some((name) => name.includes("session-token")))
    expect(started).toEqual([true, false, false, false])
  })

  it("FAC-02: is completed once by 20 copies of its cookie in parallel", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const hold = (await signIn()).cookies.get(heldCookie) ?? ""
    const copies = Array.from({ length: 20 }, () => host.newBrowser())
    for (const copy of copies) copy.cookies.set(heldCookie, hold, { path: "/" })
    const code = await app.code()
    await Promise.all(copies.map((copy) => give(copy, code)))
    expect(copies.filter(hasSessionCookie)).toHaveLength(1)
  })

  it("is completed by a code in the digits and letters of a keyboard for Chinese or Japanese", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ strategy })
    const { app, recoveryCodes } = await enroll()
    const widen = (text: string) =>
      [...text].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join("")
    clock.advance({ minutes: 1 })
    const [one, other] = [await signIn(), await signIn()]
    const code = widen(await app.code())
    await give(one, `${code.slice(0, 3)}\u3000${code.slice(3)}`)
    await give(other, widen((recoveryCodes[0] ?? "").replaceAll("-", "")), "recovery")
    expect([one, other].map(hasSessionCookie)).toEqual([true, true])
  })

  it("waits for a user whose row has numbers that JSON does not have", async () => {
    using clock = fixedClock()
    const adapter = memoryAdapter()
    const authorize: CredentialsConfig["authorize"] = async ({ name }) => {
      const user = await adapter.getUserByEmail(String(name))
      return user && { ...user, credits: 10n }
    }
    const cred = { id: "cred", name: "Password", type: "credentials", credentials: { name: {} }, authorize } as const
    const { enroll, signIn } = await openFactors({ strategy, adapter, providers: [cred] })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await give(browser, await app.code())
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("is completed by an app whose name had characters that databases refuse", async () => {
    using clock = fixedClock()
    const { adapter, signIn } = await openFactors({ strategy })
    const browser = await signIn()
    const setup = await begin(browser)
    const app = authenticatorApp(setup.secret)
    const label = `Ada's\0phone\u202e${"x".repeat(51)}\u{1f4f1}`
    await change(browser, "confirm-totp", { ticket: setup.ticket, code: await app.code(), label })
    const [factor] = (await adapter.listFactors("u-ada")).filter(({ kind }) => kind === "totp")
    expect(factor?.label).toBe(`Ada's phone ${"x".repeat(51)}\u{1f4f1}`)
    clock.advance({ minutes: 1 })
    const again = await signIn()
    await give(again, await app.code())
    expect(hasSessionCookie(again)).toBe(true)
  })

  it("FAC-02: is over after ten minutes", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ strategy })
    const { app } = await enroll()
    const browser = await signIn()
    const hold = browser.cookies.get(heldCookie) ?? ""
    clock.advance({ minutes: 12 })
    browser.cookies.set(heldCookie, hold, { path: "/" })
    expect((await give(browser, await app.code())).location).toBe(expired)
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it.each([1, 20])("FAC-03: accepts a code once among %d sign-ins in parallel", async (count) => {
    using clock = fixedClock()
    const { host, enroll, signIn, adapter } = await openFactors({ strategy })
    const { app, browser: owner } = await enroll()
    await owner.signOut()
    clock.advance({ minutes: 1 })
    const browsers = await Promise.all(Array.from({ length: count }, () => signIn(host.newBrowser())))
    const code = await app.code()
    await Promise.all(browsers.map((browser) => give(browser, code)))
    expect(browsers.filter(hasSessionCookie)).toHaveLength(1)
    expect(await adapter.listSessionsByUserId("u-ada")).toHaveLength(1)
    const late = await signIn()
    expect((await give(late, code)).location).toBe(wrong)
  })
})

describe("a code of an authenticator app", () => {
  it("FAC-03: the code of the setup does not sign in", async () => {
    using _clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app } = await enroll()
    const browser = await signIn()
    expect((await give(browser, await app.code())).location).toBe(wrong)
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it.each([
    [-60, false],
    [-30, true],
    [0, true],
    [30, true],
    [60, false],
  ])("a code of a clock that is %d seconds off is accepted: %s", async (seconds, isAccepted) => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { secret } = await enroll()
    clock.advance({ minutes: 5 })
    const browser = await signIn()
    await give(browser, await authenticatorApp(secret, () => clock.now() + seconds * 1000).code())
    expect(hasSessionCookie(browser)).toBe(isAccepted)
  })

  it("may be typed with spaces, and a slip is not counted as a guess", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    for (const slip of ["", "12345", "1234567", "abcdef", "１２３４５６", "null"]) {
      expect((await give(browser, slip)).location).toBe(wrong)
    }
    const code = await app.code()
    await give(browser, ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect(hasSessionCookie(browser)).toBe(true)
  })

  it("FAC-04: is not accepted as the sixth try of a hold, at any process", async () => {
    using clock = fixedClock()
    const { enroll, signIn, host } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const hold = browser.cookies.get(heldCookie) ?? ""
    for (let guess = 0; guess < 5; guess++) expect((await give(browser, await app.wrongCode())).location).toBe(wrong)
    expect((await give(browser, await app.code())).location).toBe(expired)
    expect(hasSessionCookie(browser)).toBe(false)
    const other = host.newBrowser()
    other.cookies.set(heldCookie, hold, { path: "/" })
    expect((await give(other, await app.code())).location).toBe(expired)
    const again = await signIn()
    await give(again, await app.code())
    expect(hasSessionCookie(again)).toBe(true)
  })

  it("FAC-04: is not found by guesses in parallel", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const guesses = [...Array.from({ length: 30 }, () => app.wrongCode()), app.code()]
    const csrfToken = await browser.csrfToken()
    const answers = []
    for (const guess of guesses) {
      const body = new URLSearchParams({ csrfToken, code: await guess })
      answers.push(browser.fetch("/auth/second-factor/totp", { method: "POST", body }))
    }
    await Promise.all(answers)
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it("FAC-04: is refused after ten wrong ones in 15 minutes, while a recovery code still signs in", async () => {
    using clock = fixedClock()
    const { enroll, signIn, host } = await openFactors({ rateLimit: {} })
    const { app, recoveryCodes } = await enroll()
    clock.advance({ minutes: 1 })
    const open = () => signIn(host.newBrowser({ clientAddress: "198.51.100.7" }))
    const statuses: number[] = []
    for (let sign = 0; sign < 3; sign++) {
      const browser = await open()
      for (let guess = 0; guess < 4; guess++) statuses.push((await give(browser, await app.wrongCode())).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 302), 429, 429])
    const browser = await open()
    expect((await give(browser, await app.code())).status).toBe(429)
    await give(browser, recoveryCodes[0] ?? "", "recovery")
    expect(hasSessionCookie(browser)).toBe(true)
  })
})

describe("a hold whose five tries are used", () => {
  it("FAC-04: uses up no budget of its user, from however many networks", async () => {
    using clock = fixedClock()
    const { enroll, signIn, host } = await openFactors({ rateLimit: only("failuresPerAccount", 6) })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const thief = await signIn()
    const held = thief.cookies.get(heldCookie) ?? ""
    for (let n = 1; n <= 12; n++) {
      const browser = host.newBrowser({ clientAddress: `198.51.100.${n}` })
      browser.cookies.set(heldCookie, held, { path: "/" })
      await give(browser, await app.wrongCode())
    }
    const owner = await signIn(host.newBrowser({ clientAddress: "203.0.113.7" }))
    await give(owner, await app.code())
    expect(hasSessionCookie(owner)).toBe(true)
  })
})

describe("a recovery code", () => {
  it("signs in once, in the form in which people type it, and the app is told how many are left", async () => {
    using clock = fixedClock()
    const { enroll, signIn, host, adapter } = await openFactors()
    const { recoveryCodes } = await enroll()
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes) expect(code).toMatch(/^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$/)
    clock.advance({ minutes: 1 })
    const [code = ""] = recoveryCodes
    const browser = await signIn()
    await give(browser, ` ${code.toLowerCase().replaceAll("-", " ")} `, "recovery")
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.events.of("recoveryCodeUsed")).toEqual([{ userId: "u-ada", left: 9 }])
    expect((await adapter.listSessionsByUserId("u-ada")).map(({ amr }) => amr)).toContain("pwd rcv")
    const thief = await signIn()
    expect((await give(thief, code, "recovery")).location).toMatch(/kind=recovery&error=SecondFactorWrong$/)
    expect(hasSessionCookie(thief)).toBe(false)
    expect((await listOwn(browser)).find(({ kind }) => kind === "recovery")?.codesLeft).toBe(9)
  })

  it.each(strategies)("ends the other sessions of its user when it is used: %s", async (strategy) => {
    using clock = fixedClock()
    const { enroll, signIn, adapter } = await openFactors({ strategy })
    const { recoveryCodes, app, browser: lost } = await enroll()
    clock.advance({ minutes: 1 })
    const other = await signIn()
    await give(other, await app.code())
    const browser = await signIn()
    await give(browser, "AAAA-AAAA-AAAA", "recovery")
    expect(await adapter.listSessionsByUserId("u-ada")).toHaveLength(2)
    await give(browser, recoveryCodes[0] ?? "", "recovery")
    clock.advance({ minutes: 2 })
    expect(await lost.session()).toBeNull()
    expect(await other.session()).toBeNull()
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("signs in once among parallel sign-ins, and another one meanwhile as well", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { recoveryCodes } = await enroll()
    clock.advance({ minutes: 1 })
    const [one = "", other = ""] = recoveryCodes
    const browsers = await Promise.all([one, one, one, other].map(async (code) => ({ code, browser: await signIn() })))
    await Promise.all(browsers.map(({ browser, code }) => give(browser, code, "recovery")))
    const signedIn = browsers.filter(({ browser }) => hasSessionCookie(browser)).map(({ code }) => code)
    expect(signedIn.sort()).toEqual([one, other].sort())
  })

  it("is stored neither as it is nor as a plain hash", async () => {
    const { enroll, adapter } = await openFactors()
    const { recoveryCodes, secret } = await enroll()
    const rows = JSON.stringify(await adapter.listFactors("u-ada"))
    for (const text of [...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", "")), secret]) {
      expect(rows).not.toContain(text)
    }
  })
})

describe("the step of the second factor", () => {
  it("requires the CSRF token", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const body = new URLSearchParams({ code: await app.code() })
    const answer = await readAnswer(await browser.fetch("/auth/second-factor/totp", { method: "POST", body }))
    expect([answer.status, answer.text.includes("Your form expired")]).toEqual([403, true])
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it("answers JSON to clients that ask for it", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const headers = { accept: "application/json" }
    const facts = await browser.fetch("/auth/second-factor", { headers })
    expect(await facts.json()).toEqual({ step: "second-factor", kinds: ["totp", "recovery"] })
    const refused = await post(browser, "/auth/second-factor/totp", { code: await app.wrongCode() }, { headers })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: "SecondFactorWrong", message: "That code did not work", reference: expect.any(String) },
    ])
    const admitted = await post(browser, "/auth/second-factor/totp", { code: await app.code() }, { headers })
    expect([admitted.status, admitted.json()]).toEqual([200, { url: "https://app.test/" }])
    expect(hasSessionCookie(browser)).toBe(true)
    await post(browser, "/auth/signout")
    const late = await post(browser, "/auth/second-factor/totp", { code: await app.code() }, { headers })
    const message = "This sign-in cannot be completed"
    expect([late.status, late.json()]).toEqual([401, { error: "HeldExpired", message, reference: expect.any(String) }])
  })

  it("leads to the callback URL of the sign-in, and to the sign-in page without one that waits", async () => {
    using clock = fixedClock()
    const { enroll, host } = await openFactors()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = host.newBrowser()
    await browser.signIn("cred", { name: address, callbackUrl: "/private" })
    const page = await browser.submit("form", { code: await app.code() })
    expect(page.url.pathname).toBe("/private")
    // The browser has completed it.
    expect((await browser.open("/auth/second-factor")).url.pathname).toBe("/private")
    expect((await host.newBrowser().open("/auth/second-factor")).url.pathname).toBe("/auth/signin")
  })

  it("is refused for a kind that is unknown, and for prototype keys", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors()
    await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    for (const kind of ["sms", "constructor", "__proto__"])
      expect((await give(browser, "123456", kind)).status).toBe(400)
    expect((await give(browser, "123456", "enroll")).location).toBe(expired)
  })

  it("does not exist without the option", async () => {
    const { host } = await openFactors()
    const { secondFactors: _, ...config } = host.config as AuthConfig
    expect((await Auth(requestTo("/auth/second-factor"), config)).status).toBe(400)
  })
})
