import { passkeyFactor, recoveryCodes, totp } from "@latchkey/core/second-factors"
import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { post } from "../setup/requests.js"
import {
  address,
  change,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  strategies,
} from "../setup/second-factor-setup.js"

const withPasskeys = { factors: [totp(), passkeyFactor(), recoveryCodes()] }

describe.each(strategies)("a passkey as the second step with %s sessions", (strategy) => {
  it("completes the sign-in that waits, with a key that did not verify its owner", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll } = await openFactors({ strategy })
    const { browser: owner } = await enroll()
    const device = softwareAuthenticator()
    await passkeyClient({ browser: owner, device }).register()
    clock.advance({ minutes: 1 })
    host.events.clear()
    const browser = host.newBrowser()
    await browser.signIn("oidc")
    const page = await browser.open("/auth/second-factor")
    const form = page.find("form[data-passkey]")
    expect(form?.attribute("action")).toBe("https://app.test/auth/callback/passkey")
    expect(hasSessionCookie(browser)).toBe(false)
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.events.of("signIn").map(({ account }) => account?.provider)).toEqual(["oidc"])
    const details = await adapter.listSessionsByUserId("u-ada")
    expect(details.map(({ amr }) => amr)).toContain("fed swk")
    expect(host.leaks()).toEqual([])
  })

  it("is among the kinds that clients with forms of their own get, as the page offers it, with or without passkeyFactor()", async () => {
    using clock = fixedClock()
    const { enroll, signIn } = await openFactors({ strategy })
    const kindsOf = async () => {
      const facts = await (await signIn()).fetch("/auth/second-factor", { headers: { accept: "application/json" } })
      return facts.json()
    }
    const { browser: owner } = await enroll()
    expect(await kindsOf()).toEqual({ step: "second-factor", kinds: ["totp", "recovery"] })
    await passkeyClient({ browser: owner, device: softwareAuthenticator() }).register()
    clock.advance({ minutes: 1 })
    expect(await kindsOf()).toEqual({ step: "second-factor", kinds: ["totp", "passkey", "recovery"] })
  })

  it("FAC-01: a key that did not verify its owner is one factor, even if it is used twice", async () => {
    using clock = fixedClock()
    const { host, enroll } = await openFactors({ strategy })
    const { browser: owner } = await enroll()
    const device = softwareAuthenticator()
    await passkeyClient({ browser: owner, device }).register()
    clock.advance({ minutes: 1 })
    const browser = host.newBrowser()
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    expect(hasSessionCookie(browser)).toBe(false)
  })

  it("FAC-02: another user's passkey completes nothing", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll, signIn } = await openFactors({ strategy })
    await enroll()
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const mal = host.newBrowser()
    await mal.signIn("cred", { name: "mal@example.com" })
    const device = softwareAuthenticator()
    await passkeyClient({ browser: mal, device }).register()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    expect((await browser.session())?.user?.email).not.toBe(address)
  })

  it("FAC-04: signs in after too many wrong codes", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ strategy })
    const { browser: owner } = await enroll()
    const device = softwareAuthenticator()
    await passkeyClient({ browser: owner, device }).register()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    for (let n = 0; n < 6; n++) await give(browser, "000000")
    await passkeyClient({ browser, device }).signIn()
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.leaks()).toEqual([])
  })
})

describe("passkeyFactor()", () => {
  it("asks users for their passkey who have recovery codes, and no others", async () => {
    using clock = fixedClock()
    const { host, adapter, enroll, signIn } = await openFactors({ secondFactor: withPasskeys })
    const { browser: owner, recoveryCodes: codes } = await enroll()
    const [own] = await listOwn(owner)
    const device = softwareAuthenticator()
    await passkeyClient({ browser: owner, device }).register()
    expect((await change(owner, "remove", { id: own?.id ?? "" })).status).toBe(200)
    expect((await listOwn(owner)).map(({ kind }) => kind)).toEqual(["recovery"])
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const page = await browser.open("/auth/second-factor")
    expect([page.find("h1")?.text, page.find("input[name=code]")]).toEqual(["Use your passkey", null])
    expect(page.find("form[data-passkey]")).not.toBeNull()
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    expect((await browser.session())?.user?.email).toBe(address)
    const lost = await signIn()
    await give(lost, codes[0] ?? "", "recovery")
    expect(hasSessionCookie(lost)).toBe(true)
    for (const { id } of await adapter.listFactors("u-ada")) await adapter.deleteFactor(id)
    expect(hasSessionCookie(await signIn())).toBe(true)
    expect(host.leaks()).toEqual([])
  })

  it("lets a user with a passkey create recovery codes", async () => {
    const { signIn, host } = await openFactors({ secondFactor: withPasskeys })
    const browser = await signIn()
    expect((await change(browser, "create-recovery-codes")).status).toBe(400)
    await passkeyClient({ browser, device: softwareAuthenticator() }).register()
    expect((await change(browser, "create-recovery-codes")).status).toBe(200)
    expect(hasSessionCookie(await signIn(host.newBrowser()))).toBe(false)
    expect((await post(browser, "/auth/second-factor/passkey", { code: "1" })).status).toBe(400)
  })
})
