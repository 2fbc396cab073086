import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { post } from "../setup/requests.js"
import { address, change, give, listOwn, openFactors, strategies } from "../setup/second-factor-setup.js"

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

  it("FAC-05: are not reached by a thief of all cookies who links an account, and signs in with it on a remembered device", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn, adapter } = await openFactors({
      strategy,
      secondFactor: { remember: { days: 30 } },
    })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
    clock.advance({ minutes: 11 })
    const account = { provider: "oauth", providerAccountId: "mal-1" }
    host.idp.signInAs({ sub: account.providerAccountId, email: "mal@example.com" })
    expect((await browser.signIn("oauth")).url.pathname).toBe("/auth/confirm")
    expect(await adapter.getUserByAccount(account)).toBeNull()
    await post(browser, "/auth/signout")
    await browser.signIn("oauth")
    expect((await browser.session())?.user?.email).not.toBe(address)
  })

  it("FAC-05: leave no way in for an account that a thief of the session linked before the user removed them", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn } = await openFactors({ strategy })
    const { browser: thief, app } = await enroll()
    clock.advance({ minutes: 11 })
    host.idp.signInAs({ sub: "mal-1", email: "mal@example.com" })
    await thief.signIn("oauth")
    const owner = await signIn()
    await give(owner, await app.code())
    for (const { id } of await listOwn(owner)) await change(owner, "remove", { id })
    expect(await listOwn(owner)).toEqual([])
    const later = host.newBrowser()
    await later.signIn("oauth")
    expect((await later.session())?.user?.email).not.toBe(address)
  })

  it("FAC-05: stay as they are when a user who has just given one links an account", async () => {
    using clock = fixedClock()
    const { host, enroll, signIn, adapter } = await openFactors({ strategy })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await give(browser, await app.code())
    host.idp.signInAs({ sub: "ada-2", email: "ada@home.example" })
    await browser.signIn("oauth")
    expect((await adapter.getUserByAccount({ provider: "oauth", providerAccountId: "ada-2" }))?.id).toBe("u-ada")
  })
})
