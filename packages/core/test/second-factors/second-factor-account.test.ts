import { beginTotp, confirmTotp, createRecoveryCodes, listFactors, removeFactor } from "@latchkey/core/second-factors"
import { authenticatorApp, type Browser, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get } from "../setup/requests.js"
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
import { cookiesOf } from "../setup/tracked-setup.js"

/** The request of a page of the app, with the browser's cookies. */
function requestOf(browser: Browser): Request {
  return new Request("https://app.test/account", { headers: { cookie: cookiesOf(browser) } })
}

describe.each(strategies)("the second factors of a user with %s sessions", (strategy) => {
  it("are set up, listed and removed by the functions for servers", async () => {
    using clock = fixedClock()
    const { host, signIn } = await openFactors({ strategy })
    const request = requestOf(await signIn())
    expect(await listFactors(request, host.config)).toEqual([])
    const setup = await beginTotp(request, host.config)
    expect(setup?.uri).toContain(`otpauth://totp/app.test:${encodeURIComponent(address)}?issuer=app.test&secret=`)
    expect(setup?.qr).toMatch(/^<svg /)
    const app = authenticatorApp(setup?.secret ?? "")
    const confirmation = { ticket: setup?.ticket ?? "", code: await app.code(), label: "  Phone  " }
    const confirmed = await confirmTotp(request, host.config, confirmation)
    expect(confirmed?.factor).toMatchObject({ kind: "totp", label: "Phone", lastUsedAt: null, codesLeft: null })
    expect(confirmed?.recoveryCodes).toHaveLength(10)
    clock.advance({ minutes: 1 })
    const again = await signIn()
    await give(again, await app.code())
    const renewed = await createRecoveryCodes(requestOf(again), host.config)
    expect(renewed).not.toEqual(confirmed?.recoveryCodes)
    expect((await listFactors(request, host.config))?.map(({ kind, codesLeft }) => [kind, codesLeft])).toEqual([
      ["totp", null],
      ["recovery", 10],
    ])
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await give(browser, confirmed?.recoveryCodes?.[0] ?? "", "recovery")
    expect(hasSessionCookie(browser)).toBe(false)
    await give(browser, renewed?.[0] ?? "", "recovery")
    expect(hasSessionCookie(browser)).toBe(true)
    expect(await removeFactor(requestOf(browser), host.config, confirmed?.factor.id ?? "")).toBe(true)
    expect(await listFactors(requestOf(browser), host.config)).toEqual([])
    expect(host.events.of("factorAdded").map(({ kind }) => kind)).toEqual(["totp", "recovery"])
    expect(host.events.of("factorRemoved").map(({ kind }) => kind)).toEqual(["totp", "recovery"])
  })

  it("FAC-05: are changed only by a user who signed in during the last ten minutes", async () => {
    using clock = fixedClock()
    const { host, enroll } = await openFactors({ strategy })
    const { browser, app } = await enroll()
    const [own] = await listOwn(browser)
    const setup = await begin(browser)
    clock.advance({ minutes: 11 })
    const attempts = [
      change(browser, "begin-totp"),
      change(browser, "confirm-totp", { ticket: setup.ticket, code: await authenticatorApp(setup.secret).code() }),
      change(browser, "create-recovery-codes"),
      change(browser, "remove", { id: own?.id ?? "" }),
    ]
    for (const attempt of attempts) {
      const answer = await attempt
      expect([answer.status, answer.json()]).toEqual([
        403,
        {
          error: "FreshnessRequired",
          message: expect.any(String),
          reference: expect.any(String),
          url: expect.stringContaining("/auth/confirm?"),
        },
      ])
      expect(answer.headers.get("www-authenticate")).toContain("max_age=600")
    }
    const request = requestOf(browser)
    const refused = { type: "FreshnessRequired" }
    await expect(beginTotp(request, host.config)).rejects.toMatchObject(refused)
    await expect(createRecoveryCodes(request, host.config)).rejects.toMatchObject(refused)
    await expect(removeFactor(request, host.config, own?.id ?? "")).rejects.toMatchObject(refused)
    expect((await listOwn(browser)).map(({ kind }) => kind)).toEqual(["totp", "recovery"])
    await browser.signIn("cred", { name: address })
    await browser.submit("form", { code: await app.code() })
    expect((await change(browser, "begin-totp")).status).toBe(200)
  })

  it("FAC-08: are not changed for a time of sign-in that a callback or a client sets", async () => {
    using clock = fixedClock()
    const now = () => Math.floor(Date.now() / 1000)
    const { enroll } = await openFactors({
      strategy,
      callbacks: {
        jwt: ({ token }) => ({ ...token, auth_time: now(), amr: ["pwd", "otp"], time: Date.now() }),
        session: ({ session }) => ({ ...session, auth_time: now() }),
      },
    })
    const { browser } = await enroll()
    clock.advance({ minutes: 11 })
    await browser.session()
    const csrfToken = await browser.csrfToken()
    const data = { auth_time: now(), time: Date.now(), amr: ["pwd", "otp"] }
    await browser.fetch("/auth/session", { method: "POST", json: { csrfToken, data } })
    expect((await change(browser, "begin-totp")).status).toBe(403)
  })

  it("FAC-05: second factors are not changed with the proof of another user, nor with a session cookie alone", async () => {
    const { host, enroll, adapter } = await openFactors({ strategy })
    const { browser } = await enroll()
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const proof = "__Host-authjs.proof"
    browser.cookies.set(proof, mal.cookies.get(proof) ?? "", { path: "/" })
    expect((await change(browser, "begin-totp")).status).toBe(403)
    browser.cookies.delete(proof)
    expect((await change(browser, "begin-totp")).status).toBe(403)
  })

  it("FAC-05: are not changed by a session that a thief of the password began before the first setup", async () => {
    const { host, enroll, signIn, adapter } = await openFactors({ strategy })
    const thief = await signIn()
    const { browser } = await enroll()
    const rows = await adapter.listFactors("u-ada")
    const [own] = await listOwn(thief)
    const attempts = [change(thief, "begin-totp"), change(thief, "create-recovery-codes")]
    attempts.push(change(thief, "remove", { id: own?.id ?? "" }))
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([403, 403, 403])
    const refused = { type: "FreshnessRequired" }
    await expect(removeFactor(requestOf(thief), host.config, own?.id ?? "")).rejects.toMatchObject(refused)
    expect(await adapter.listFactors("u-ada")).toEqual(rows)
    expect((await change(browser, "create-recovery-codes")).status).toBe(200)
  })

  it("end the other sessions of the user when one is removed", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ strategy })
    const { browser, app } = await enroll()
    clock.advance({ minutes: 1 })
    const other = await signIn()
    await give(other, await app.code())
    const [own] = await listOwn(browser)
    expect((await change(browser, "remove", { id: own?.id ?? "" })).json()).toEqual({ removed: 1 })
    clock.advance({ minutes: 2 })
    expect(await other.session()).toBeNull()
    expect(await browser.session()).not.toBeNull()
  })
})

describe("the setup of an authenticator app", () => {
  it("stores nothing before its first right code, and is completed once", async () => {
    const { signIn, adapter } = await openFactors()
    const browser = await signIn()
    const { ticket, secret } = await begin(browser)
    const app = authenticatorApp(secret)
    const wrong = await change(browser, "confirm-totp", { ticket, code: await app.wrongCode() })
    expect([wrong.status, wrong.json()]).toMatchObject([400, { error: "SecondFactorWrong" }])
    expect(await adapter.listFactors("u-ada")).toEqual([])
    const code = await app.code()
    const answers = await Promise.all([1, 2, 3].map(() => change(browser, "confirm-totp", { ticket, code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await adapter.listFactors("u-ada")).map(({ kind }) => kind).sort()).toEqual(["recovery", "totp"])
  })

  it("is refused with the ticket of another user, and after ten minutes", async () => {
    using clock = fixedClock()
    const { host, signIn, adapter } = await openFactors()
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const foreign = await begin(mal)
    const browser = await signIn()
    const confirm = async ({ ticket, secret }: typeof foreign) =>
      change(browser, "confirm-totp", { ticket, code: await authenticatorApp(secret).code() })
    expect((await confirm(foreign)).status).toBe(400)
    const own = await begin(browser)
    clock.advance({ minutes: 12 })
    await browser.signIn("cred", { name: address })
    expect((await confirm(own)).status).toBe(400)
    expect(await adapter.listFactors("u-ada")).toEqual([])
  })

  it("FAC-10: leaves the secret and the recovery codes in no log, no later answer of other pages and no store", async () => {
    using clock = fixedClock()
    const { host, enroll, adapter, signIn } = await openFactors({ debug: true })
    const { secret, recoveryCodes, browser, app } = await enroll()
    const shown = host.answers.length
    clock.advance({ minutes: 1 })
    await give(await signIn(), await app.code())
    await give(await signIn(), recoveryCodes[1] ?? "", "recovery")
    const later = await get(browser, "/auth/account/factors")
    const texts = [
      ...host.logger.texts(),
      JSON.stringify(adapter.calls),
      JSON.stringify(host.answers.slice(shown)),
      later.text,
    ]
    for (const text of [secret, ...recoveryCodes]) expect(texts.filter((each) => each.includes(text))).toEqual([])
  })

  it("is refused for visitors without a session, in the words of the route", async () => {
    const { host } = await openFactors()
    const browser = host.newBrowser()
    expect((await get(browser, "/auth/account/factors")).status).toBe(401)
    expect((await change(browser, "begin-totp")).status).toBe(401)
    expect((await change(browser, "explode")).status).toBe(400)
    expect((await change(browser, "constructor")).status).toBe(400)
    expect(await listFactors(new Request("https://app.test/"), host.config)).toBeNull()
  })
})

describe("a sealed secret", () => {
  it("does not open in the row of another user or factor", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll } = await openFactors()
    const { secret } = await enroll()
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    for (const row of await adapter.listFactors("u-ada")) {
      await adapter.createFactor({ ...row, id: `planted ${row.kind}`, userId: "u-mal" })
    }
    clock.advance({ minutes: 1 })
    const mal = host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const answer = await give(mal, await authenticatorApp(secret).code())
    expect(answer.location).toBe("https://app.test/auth/error?error=Configuration")
    expect(hasSessionCookie(mal)).toBe(false)
    expect(host.logger.errors.at(-1)?.message).toContain("Keep the former secrets in the list")
  })

  it("opens after the secret of the service was rotated, and is then sealed with the new one", async () => {
    using clock = fixedClock()
    const [old, fresh] = ["0123456789-abcdefghijklmn-old", "0123456789-abcdefghijklmn-new"]
    const before = await openFactors({ secret: old })
    const { app } = await before.enroll()
    const open = (secret: string[]) => openHost({ ...(before.host.config as object), secret })
    const signIn = async (secret: string[]) => {
      clock.advance({ minutes: 1 })
      const browser = open(secret).newBrowser()
      await browser.signIn("cred", { name: address })
      await give(browser, await app.code())
      return hasSessionCookie(browser)
    }
    expect(await signIn([fresh, old])).toBe(true)
    expect(await signIn([fresh])).toBe(true)
  })
})
