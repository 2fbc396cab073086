import type { TokenStore } from "@latchkey/core/access-tokens"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { memoryTokenStore } from "@latchkey/testkit/adapter"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openCookieHost, publishedAdapter, ways } from "../setup/cookie-setup.js"
import { changing } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const owner = { sub: "ada", email: "ada@example.com", email_verified: true }
const other = { sub: "ben", email: "ben@example.com", email_verified: true }

function open(changes: Parameters<typeof openCookieHost>[0] = {}, methods: Partial<TokenStore> = {}) {
  const store = memoryTokenStore()
  const keep = { ...store, ...methods }
  return { ...openCookieHost({ ...changes, kept: { keep, ...changes.kept } }), store, keep }
}

describe.each(ways)("tokens in a store of their own: %s", (_, openWay) => {
  it("KEEP-01: are refreshed once for 50 callers in each of three processes, who get the same token", async () => {
    const { host, ask, askAt, cookies, refreshes } = open(openWay())
    await host.browser.signIn("oidc")
    expect(cookies(host.browser)).toEqual([])
    const { accessToken: old } = await ask(host.browser)
    clock.advance({ hours: 2 })
    const processes = [host.config, { ...host.config }, { ...host.config }]
    const asked = processes.flatMap((config) => Array.from({ length: 50 }, () => askAt(host.browser, config)))
    const found = new Set((await Promise.all(asked)).map(({ accessToken }) => accessToken))
    expect([found.size, found.has(old), found.has(undefined), refreshes()]).toEqual([1, false, false, 1])
  })

  it("KEEP-04: are not those of another user, nor of a visitor without a session", async () => {
    const { host, idp, ask } = open(openWay())
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    const stranger = host.newBrowser()
    expect(await ask(stranger)).toEqual({ reason: "signed-out" })
    idp.signInAs(other)
    await stranger.signIn("work")
    expect(await ask(stranger)).toEqual({ reason: "no-account" })
    expect(await ask(stranger, "?provider=work")).toMatchObject({ tokenType: "bearer" })
    expect(await ask(stranger, "?provider=work&account=ada")).toEqual({ reason: "no-account" })
  })

  it("KEEP-08: are ciphertext in the store, and open after the secret was rotated", async () => {
    const { host, idp, ask, store } = open(openWay())
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser)
    const text = JSON.stringify([...store.values])
    for (const { value } of idp.issued) expect(text).not.toContain(value)
    expect(text).not.toMatch(/oidc|ada@/)
    Object.assign(host.config, { secret: ["a-new-secret-0123456789-abcdefghijklmn", String(host.config.secret)] })
    expect((await ask(host.browser)).accessToken).toBe(accessToken)
  })

  it("are refreshed where no cookie can be set", async () => {
    const { host, askInComponent, refreshes } = open(openWay())
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    expect([await askInComponent(host.browser), refreshes()]).toMatchObject([{ tokenType: "bearer" }, 1])
  })
})

describe("tokens in a store of their own", () => {
  it("KEEP-03: do not open in the place of another user's", async () => {
    const { host, idp, ask, store } = open({ adapter: publishedAdapter() })
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    const [first] = store.values.values()
    idp.signInAs(other)
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const [, key] = store.values.keys()
    if (first) store.values.set(key ?? "", first)
    expect(await ask(thief)).toEqual({ reason: "no-account" })
    await thief.signIn("oidc")
    expect(await ask(thief)).toMatchObject({ tokenType: "bearer" })
  })

  it("KEEP-03: do not open in the place of another provider, and share one key with all others", async () => {
    const { host, ask, store } = open({ adapter: publishedAdapter(), session: { strategy: "jwt" } })
    await host.browser.signIn("oidc")
    await host.browser.signIn("work")
    expect(await ask(host.browser, "?provider=work")).toMatchObject({ tokenType: "bearer" })
    const kept = [...store.values.values()]
    expect([kept.length, new Set(kept.map(({ text }) => text.split(".", 1)[0])).size]).toEqual([2, 1])
    const [first] = kept
    const [, key] = store.values.keys()
    if (first) store.values.set(key ?? "", first)
    expect(await ask(host.browser, "?provider=work")).toEqual({ reason: "no-account" })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("keep the refresh token if a later sign-in brings none, and stay for the user's other sessions", async () => {
    const { host, ask, faults, refreshes } = open({ adapter: publishedAdapter() })
    await host.browser.signIn("oidc")
    const second = host.newBrowser()
    faults.push(changing(({ refresh_token: _, ...tokens }) => tokens))
    await second.signIn("oidc")
    await host.browser.signOut()
    clock.advance({ hours: 2 })
    expect([await ask(second), refreshes()]).toMatchObject([{ tokenType: "bearer" }, 1])
  })

  it("leave the store at the sign-out without an adapter, since no other session can ask for them", async () => {
    const { host, store } = open()
    await host.browser.signIn("oidc")
    expect(store.values.size).toBe(1)
    await host.browser.signOut()
    await expect.poll(() => store.values.size).toBe(0)
  })

  it("leave the store when the account is unlinked, and are revoked", async () => {
    const { host, store, revoked } = open({ adapter: memoryAdapter() })
    await host.browser.signIn("oidc")
    expect((await host.browser.fetch("/unlink")).status).toBe(200)
    expect([store.values.size, revoked.length]).toEqual([0, 1])
  })

  it("do not keep anyone from signing in while their store is away, which the log names", async () => {
    const away = async () => Promise.reject(new Error("away"))
    const { host, ask, keep } = open({ adapter: publishedAdapter() }, { replace: away })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect(host.logger.errors).toMatchObject([{ type: "AdapterError", message: "accessTokens.keep: replace failed" }])
    Object.assign(keep, { replace: memoryTokenStore().replace, get: away })
    await expect(ask(host.browser)).rejects.toThrow("accessTokens.keep: get failed")
  })
})
