import { accessTokens } from "@latchkey/core/access-tokens"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { changing, openKept } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

describe("a sign-in with a linked account", () => {
  it("writes its new tokens", async () => {
    const { host, ask, refreshes } = openKept()
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser)
    clock.advance({ hours: 2 })
    await host.browser.signIn("oidc")
    expect((await ask(host.browser)).accessToken).not.toBe(accessToken)
    expect(refreshes()).toBe(0)
  })

  it("keeps the refresh token if the provider sends none, and takes the scope that was granted", async () => {
    const { host, ask, faults, refreshes } = openKept()
    await host.browser.signIn("oidc")
    faults.push(changing(({ refresh_token: _, ...tokens }) => ({ ...tokens, scope: "openid calendar" })))
    await host.browser.signIn("oidc")
    expect(await ask(host.browser, { scope: "calendar" })).toMatchObject({ scope: "openid calendar" })
    clock.advance({ hours: 2 })
    await ask(host.browser)
    expect(refreshes()).toBe(1)
  })

  it("adds a refresh token to an account that was linked without one", async () => {
    const { host, ask, fail, faults } = openKept()
    faults.push(changing(({ refresh_token: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    expect(await fail(host.browser)).toMatchObject({ reason: "no-refresh-token" })
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it.each([true, false])("renews an account from before without a refresh token: it gets one %s", async (isGiven) => {
    const { host, ask, fail, faults, row } = openKept({ isKept: false })
    const withoutRefreshToken = changing(({ refresh_token: _, ...tokens }) => tokens)
    faults.push(withoutRefreshToken)
    await host.browser.signIn("oidc")
    Object.assign(host.config, { accessTokens: accessTokens() })
    clock.advance({ hours: 2 })
    expect(await fail(host.browser)).toMatchObject({ reason: "no-refresh-token" })
    if (!isGiven) faults.push(withoutRefreshToken)
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser)
    expect(JSON.stringify(await row())).not.toContain(accessToken)
    clock.advance({ hours: 2 })
    if (isGiven) expect((await ask(host.browser)).accessToken).not.toBe(accessToken)
    else expect(await fail(host.browser)).toMatchObject({ reason: "no-refresh-token" })
    await host.browser.signIn("oidc")
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("clears the expiry if the provider does not tell when the new token expires", async () => {
    const { host, ask, faults, refreshes } = openKept()
    await host.browser.signIn("oidc")
    faults.push(changing(({ expires_in: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    expect([await ask(host.browser), refreshes()]).toMatchObject([{ expiresAt: null }, 0])
  })
})

describe("tokens at rest", () => {
  it("are read if they were stored in clear before, and sealed by the next refresh", async () => {
    const { host, idp, ask, row, newProcess } = openKept({ isKept: false })
    await host.browser.signIn("oidc")
    const plain = await row()
    const config = newProcess({ accessTokens: accessTokens() })
    expect((await ask(host.browser, {}, config)).accessToken).toBe(plain.access_token)
    clock.advance({ hours: 2 })
    const { accessToken } = await ask(host.browser, {}, config)
    const text = JSON.stringify(await row())
    for (const { value } of idp.issued) expect(text).not.toContain(value)
    expect((await ask(host.browser, {}, config)).accessToken).toBe(accessToken)
  })

  it("stay in clear with encrypt: false", async () => {
    const { host, ask, row } = openKept({ accessTokens: accessTokens({ encrypt: false }) })
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const { accessToken } = await ask(host.browser)
    expect((await row()).access_token).toBe(accessToken)
  })

  it("are stored as the contract says without the option", async () => {
    const { host, idp, row, faults } = openKept({ isKept: false })
    faults.push(changing(({ scope: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc")
    const first = (await row()).access_token
    expect(idp.issued.map(({ value }) => value)).toContain(first)
    expect((await row()).scope ?? null).toBeNull()
    await host.browser.signIn("oidc")
    expect((await row()).access_token).toBe(first)
  })
})
