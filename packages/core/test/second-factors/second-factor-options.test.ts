import { passkeyFactor, recoveryCodes, type SecondFactorOptions, totp } from "@latchkey/core/second-factors"
import { authenticatorApp, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ask } from "../setup/requests.js"
import { address, begin, change, give, hasSessionCookie, listOwn, openFactors } from "../setup/second-factor-setup.js"

describe("a policy that demands a second factor", () => {
  it("lets a user set one up before the first session starts, and shows recovery codes once", async () => {
    using clock = fixedClock()
    const { host, adapter, signIn } = await openFactors({ secondFactor: { require: "always" } })
    const browser = host.newBrowser()
    const page = await browser.signIn("cred", { name: address, callbackUrl: "/private" })
    expect([page.url.pathname, page.find("h1")?.text]).toEqual(["/auth/second-factor", "Set up two-step verification"])
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
    const next = await browser.submit("form.form")
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

  it("FAC-02: lets no waiting sign-in add a factor to a user whose passkey has become one", async () => {
    using clock = fixedClock()
    const factors = [totp(), passkeyFactor(), recoveryCodes()]
    const { host, adapter, signIn } = await openFactors({ secondFactor: { factors, require: "always" } })
    const thief = await signIn()
    const owner = host.newBrowser()
    const page = await owner.signIn("cred", { name: address })
    await owner.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    await passkeyClient({ browser: owner, device: softwareAuthenticator() }).register()
    // As if the passkey were from the time before the policy.
    for (const { id } of await adapter.listFactors("u-ada")) await adapter.deleteFactor(id)
    expect((await change(owner, "create-recovery-codes")).status).toBe(200)
    clock.advance({ minutes: 1 })
    await thief.submit("form", { code: await authenticatorApp(thief.page?.find("code")?.text ?? "").code() })
    expect(hasSessionCookie(thief)).toBe(false)
    expect((await listOwn(owner)).map(({ kind }) => kind)).toEqual(["recovery"])
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

  it("FAC-06: keeps the recovery codes without which a passkey would be no second factor", async () => {
    using clock = fixedClock()
    const factors = [totp(), passkeyFactor(), recoveryCodes()]
    const { host, signIn } = await openFactors({ secondFactor: { factors, require: "always" } })
    const browser = host.newBrowser()
    const page = await browser.signIn("cred", { name: address })
    await browser.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
    const [app, codes] = await listOwn(browser)
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    expect((await change(browser, "remove", { id: app?.id ?? "" })).status).toBe(200)
    expect((await change(browser, "remove", { id: codes?.id ?? "" })).status).toBe(400)
    expect((await listOwn(browser)).map(({ kind }) => kind)).toEqual(["recovery"])
    clock.advance({ minutes: 1 })
    expect((await signIn()).page?.find("h1")?.text).toBe("Use your passkey")
  })

  it("FAC-01: a rule that returns nothing requires a second factor", async () => {
    const { signIn } = await openFactors({ secondFactor: { require: (() => undefined) as never } })
    expect(hasSessionCookie(await signIn())).toBe(false)
  })
})

describe("the key URI of an authenticator app", () => {
  it.each([
    ["localhost:3000", address, "localhost%203000:ada%40example.com?issuer=localhost%203000&"],
    ["Harbour: Staff", address, "Harbour%20Staff:ada%40example.com?issuer=Harbour%20Staff&"],
    ["Harbour", "crew:ada", "Harbour:crew%20ada?issuer=Harbour&"],
  ])("has no colon within issuer %s and account %s, for which some apps reject it", async (issuer, label, start) => {
    const { uri } = await totp().describe({ secret: "JBSWY3DPEHPK3PXP", issuer, label })
    expect(uri).toContain(`otpauth://totp/${start}secret=`)
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

  it("FAC-09: does not count unless the app trusts the provider with it", async () => {
    expect(await asksForCode({}, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: trusts } }, "oidc")).toBe(false)
    expect(await asksForCode({ trust: { oidc: () => false } }, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: (() => "yes") as never } }, "oidc")).toBe(true)
    expect(await asksForCode({ trust: { oidc: trusts } }, "oauth")).toBe(true)
  })

  it("FAC-09: does not count when only the userinfo endpoint claims it", async () => {
    using clock = fixedClock()
    const { host, enroll } = await openFactors({ secondFactor: { trust: { oidc: trusts } } })
    await enroll()
    clock.advance({ minutes: 1 })
    // Without a name and an address, the ID token is completed by the endpoint.
    host.idp.signInAs({
      sub: "ada-1815",
      get amr() {
        return host.idp.requests.userinfo.length > 0 ? claims.amr : undefined
      },
    })
    const page = await host.newBrowser().signIn("oidc")
    expect([host.idp.requests.userinfo.length, page.url.pathname]).toEqual([1, "/auth/second-factor"])
  })
})

describe("secondFactors", () => {
  const refusal = async (options: Parameters<typeof openFactors>[0]) => {
    const { host } = await openFactors(options)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    return host.logger.errors[0]?.message
  }

  const own = ["listFactors", "createFactor", "changeFactor", "deleteFactor"] as const
  const ofTracking = ["createSessionDetail", "seeSession", "listSessionsByUserId", "endSessions"] as const

  it.each([...own, ...ofTracking])("names %s when the service starts with an adapter that lacks it", async (method) => {
    expect(await refusal({ lacks: [method] })).toContain(`secondFactors: the adapter lacks ${method}. Use @latchkey/`)
  })

  it.each<[object, string]>([
    [{ factors: [] }, "secondFactors.factors: must be a list with totp()"],
    [{ factors: ["totp"] }, "secondFactors.factors: must be a list with totp()"],
    [
      { factors: [totp(), totp()] },
      "secondFactors.factors[1]: must be totp(), passkeyFactor() or recoveryCodes(), each once",
    ],
    [{ require: "sometimes" }, 'secondFactors.require: must be "enrolled", "always" or a function'],
    [{ trust: { oauth: () => true } }, "secondFactors.trust.oauth: is not the id of an OpenID Connect provider"],
    [{ trust: { oidc: true } }, "secondFactors.trust.oidc: must be a function"],
    [{ days: 30 }, "secondFactors.days: unknown option. Use factors, require, trust, remember"],
    [{ remember: { days: 366 } }, "secondFactors.remember: must be false or { days }, at most 365 whole days"],
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
