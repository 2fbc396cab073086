import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { post } from "./requests.js"
import { address, change, openFactors, strategies } from "./second-factor-setup.js"

const confirmUrl = /^https:\/\/app\.test\/auth\/confirm\?callbackUrl=/

describe.each(strategies)("the second factors of a user with %s sessions", (strategy) => {
  it("FAC-05: are not gone around by a passkey that a thief of the session adds after ten minutes", async () => {
    using clock = fixedClock()
    const { enroll, adapter } = await openFactors({ strategy })
    const { browser, app } = await enroll()
    const device = softwareAuthenticator()
    const client = passkeyClient({ browser, device })
    const created = await device.create(await client.creation())
    clock.advance({ minutes: 11 })
    expect((await client.ask({ action: "register" })).status).toBe(403)
    const refused = await client.finish("register", created)
    expect(refused.headers.get("location")).toMatch(/^https:\/\/app\.test\/auth\/confirm\?callbackUrl=/)
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toEqual([])
    await browser.signIn("cred", { name: address })
    await browser.submit("form", { code: await app.code() })
    await client.register()
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toHaveLength(1)
  })

  it("FAC-05: are not gone around by an account at a trusted provider that a thief of the session adds", async () => {
    using clock = fixedClock()
    const { enroll, adapter } = await openFactors({ strategy, secondFactor: { trust: { oidc: () => true } } })
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    const { browser } = await enroll()
    clock.advance({ minutes: 11 })
    await browser.signIn("oidc")
    expect(await adapter.getAccount("ada-1815", "oidc")).toBeNull()
    expect(await browser.session()).not.toBeNull()
  })

  it("FAC-05: are not reached by a thief of the session who adds a passkey to a user without one and signs in with it", async () => {
    using clock = fixedClock()
    const { host, signIn, adapter } = await openFactors({ strategy })
    const browser = await signIn()
    const device = softwareAuthenticator()
    const client = passkeyClient({ browser, device })
    const created = await device.create(await client.creation())
    clock.advance({ minutes: 11 })
    const asked = await client.ask({ action: "register" })
    expect(asked.status).toBe(403)
    expect(await asked.json()).toMatchObject({ error: "FreshnessRequired", url: expect.stringMatching(confirmUrl) })
    const refused = await client.finish("register", created)
    expect(refused.headers.get("location")).toMatch(confirmUrl)
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toEqual([])
    const thief = host.newBrowser()
    await passkeyClient({ browser: thief, device })
      .signIn()
      .catch(() => undefined)
    expect(await thief.session()).toBeNull()
    expect((await change(browser, "begin-totp")).status).toBe(403)
    await post(browser, "/auth/confirm/cred", { name: address })
    await client.register()
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toHaveLength(1)
  })

  it("FAC-05: are not reached by a thief of the session who links an account to a user without one and signs in with it", async () => {
    using clock = fixedClock()
    const { signIn, adapter } = await openFactors({ strategy })
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
    const browser = await signIn()
    clock.advance({ minutes: 11 })
    const refused = await browser.signIn("oidc")
    expect(refused.url.pathname).toBe("/auth/confirm")
    expect(await adapter.getAccount("ada-1815", "oidc")).toBeNull()
    await browser.signIn("oidc")
    expect((await change(browser, "begin-totp")).status).toBe(403)
    await post(browser, "/auth/confirm/cred", { name: address })
    await browser.signIn("oidc")
    expect(await adapter.getAccount("ada-1815", "oidc")).not.toBeNull()
    // A sign-in with an account that is linked already adds nothing, so that users can confirm with it.
    clock.advance({ minutes: 11 })
    await browser.signIn("oidc")
    expect((await change(browser, "begin-totp")).status).toBe(200)
  })
})
