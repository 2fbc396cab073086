import {
  beginTotp,
  confirmTotp,
  createRecoveryCodes,
  listFactors,
  removeFactor,
  type SecondFactorOptions,
  totp,
} from "@latchkey/core/second-factors"
import { authenticatorApp, type Browser, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "./hosts.js"
import { ask, get } from "./requests.js"
import {
  address,
  begin,
  change,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  strategies,
} from "./second-factor-setup.js"
import { cookiesOf } from "./tracked-setup.js"

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
        { error: "FreshnessRequired", reference: expect.any(String), url: expect.stringContaining("/auth/confirm?") },
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

  it("FAC-05: are not changed with the proof of another user, nor with a session cookie alone", async () => {
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
    expect([wrong.status, wrong.json()]).toEqual([400, { error: "SecondFactorWrong", reference: expect.any(String) }])
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

  it("FAC-10: leaves the secret and the recovery codes in no log, no later answer and no store", async () => {
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

describe("a policy that demands a second factor", () => {
  it("lets a user set one up before the first session starts, and shows recovery codes once", async () => {
    using clock = fixedClock()
    const { host, adapter, signIn } = await openFactors({ secondFactor: { require: "always" } })
    const browser = host.newBrowser()
    const page = await browser.signIn("cred", { name: address, callbackUrl: "/private" })
    expect([page.url.pathname, page.find("h1")?.text]).toEqual(["/auth/second-factor", "Set up a second step"])
    expect(await browser.session()).toBeNull()
    const secret = page.find("code")?.text ?? ""
    const app = authenticatorApp(secret)
    const again = await browser.submit("form", { code: await app.wrongCode() })
    expect([again.find("code")?.text, again.find("[role=alert]")?.text]).toEqual([
      secret,
      expect.stringContaining("That code did not work"),
    ])
    expect(await browser.session()).toBeNull()
    const codes = await browser.submit("form", { code: await app.code() })
    expect(codes.find("h1")?.text).toBe("Save your recovery codes")
    expect((await browser.session())?.user?.email).toBe(address)
    const next = await browser.click(".button-primary")
    expect(next.url.pathname).toBe("/private")
    expect((await adapter.listSessionsByUserId("u-ada")).map(({ amr }) => amr)).toEqual(["pwd otp"])
    clock.advance({ minutes: 1 })
    const other = await signIn()
    expect(other.page?.find("h1")?.text).toBe("Enter your code")
  })

  it("FAC-02: lets no waiting sign-in, nor a copy of a completed one, add a factor to a user who has set one up", async () => {
    using _clock = fixedClock()
    const { host, adapter } = await openFactors({ secondFactor: { require: "always" } })
    const [thief, copied, owner] = [host.newBrowser(), host.newBrowser(), host.newBrowser()]
    const planned = await thief.signIn("cred", { name: address })
    const page = await owner.signIn("cred", { name: address })
    const held = "__Host-authjs.held"
    copied.cookies.set(held, owner.cookies.get(held) ?? "", { path: "/" })
    const mine = await copied.open("/auth/second-factor")
    await owner.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    const rows = await adapter.listFactors("u-ada")
    await thief.submit("form", { code: await authenticatorApp(planned.find("code")?.text ?? "").code() })
    await copied.submit("form", { code: await authenticatorApp(mine.find("code")?.text ?? "").code() })
    expect([thief, copied, owner].map(hasSessionCookie)).toEqual([false, false, true])
    expect(await adapter.listFactors("u-ada")).toEqual(rows)
  })

  it("FAC-06: keeps the last factor of its users, and removes one of several", async () => {
    using clock = fixedClock()
    const { host } = await openFactors({ secondFactor: { require: ({ user }) => user.email === address } })
    const browser = host.newBrowser()
    const page = await browser.signIn("cred", { name: address })
    await browser.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    const [first] = await listOwn(browser)
    const refused = await change(browser, "remove", { id: first?.id ?? "" })
    expect([refused.status, (await listOwn(browser)).length]).toEqual([400, 2])
    clock.advance({ minutes: 1 })
    const second = await begin(browser)
    const code = await authenticatorApp(second.secret).code()
    expect((await change(browser, "confirm-totp", { ticket: second.ticket, code })).json()).toMatchObject({
      recoveryCodes: null,
    })
    const apps = (await listOwn(browser)).filter(({ kind }) => kind === "totp")
    await Promise.all(apps.map(({ id }) => change(browser, "remove", { id })))
    expect((await listOwn(browser)).some(({ kind }) => kind === "totp")).toBe(true)
    await change(browser, "remove", { id: first?.id ?? "" })
    expect((await listOwn(browser)).map(({ kind }) => kind).sort()).toEqual(["recovery", "totp"])
  })

  it("FAC-01: demands one also when its rule forgets to answer", async () => {
    const { signIn } = await openFactors({ secondFactor: { require: (() => undefined) as never } })
    expect(hasSessionCookie(await signIn())).toBe(false)
  })
})

describe("a provider's own second factor", () => {
  const claims = { amr: ["pwd", "mfa"], acr: "2" }
  const person = { sub: "ada-1815", email: address, email_verified: true, ...claims }
  const asksForCode = async (secondFactor: Partial<SecondFactorOptions>, provider: "oidc" | "oauth") => {
    using clock = fixedClock()
    const { host, enroll } = await openFactors({ secondFactor })
    await enroll()
    clock.advance({ minutes: 1 })
    host.idp.signInAs(person)
    const browser = host.newBrowser()
    await browser.signIn(provider)
    return !hasSessionCookie(browser)
  }
  const trusts = ({ amr }: Readonly<Record<string, unknown>>) => Array.isArray(amr) && amr.includes("mfa")

  it("FAC-09: does not count unless the host trusts the provider with it", async () => {
    expect(await asksForCode({}, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: trusts } }, "oidc")).toBe(false)
    expect(await asksForCode({ trust: { oidc: () => false } }, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: (() => "yes") as never } }, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: trusts } }, "oauth")).toBe(true)
  })
})

describe("secondFactors", () => {
  const refusal = async (options: Parameters<typeof openFactors>[0]) => {
    const { host } = await openFactors(options)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    return host.logger.errors[0]?.message
  }

  it.each(["listFactors", "createFactor", "changeFactor", "deleteFactor"] as const)(
    "names %s when the service starts with an adapter that lacks it",
    async (method) => {
      expect(await refusal({ lacks: [method] })).toContain(`secondFactor: the adapter lacks ${method}. Use @latchkey/`)
    },
  )

  it.each<[object, string]>([
    [{ factors: [] }, "secondFactor.factors: must be a list with totp()"],
    [{ factors: ["totp"] }, "secondFactor.factors: must be a list with totp()"],
    [{ factors: [totp(), totp()] }, "secondFactor.factors[1]: must be totp(), passkey() or recoveryCodes(), each once"],
    [{ require: "sometimes" }, 'secondFactor.require: must be "enrolled", "always" or a function'],
    [{ trust: { oauth: () => true } }, "secondFactor.trust.oauth: is not the id of an OpenID Connect provider"],
    [{ trust: { oidc: true } }, "secondFactor.trust.oidc: must be a function"],
    [{ days: 30 }, "secondFactor.days: unknown option. Use factors, require, trust, remember"],
    [{ remember: { days: 366 } }, "secondFactor.remember: must be false or { days }, at most 365 whole days"],
  ])("refuses %j", async (secondFactor, sentence) => {
    expect(await refusal({ secondFactor })).toContain(sentence)
  })

  it("works without an adapter's place for temporary values", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ lacks: ["keepTemporary", "takeTemporary", "consumeOnce"] })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await give(browser, await app.code())
    expect(hasSessionCookie(browser)).toBe(true)
  })
})
