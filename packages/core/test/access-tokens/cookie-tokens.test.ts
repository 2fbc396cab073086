import { type Browser, fixedClock, memoryAdapter } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { deliver, openCookieHost, publishedAdapter, setTokens, ways } from "../setup/cookie-setup.js"
import { changing } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const owner = { sub: "ada", email: "ada@example.com", email_verified: true }
const other = { sub: "ben", email: "ben@example.com", email_verified: true }

/** Copies the token cookies of one browser into another. */
function copyTokens(from: Browser, to: Browser): void {
  for (const { name, value } of from.cookies.list()) if (name.includes("authjs.tokens.")) to.cookies.set(name, value)
}

describe.each(ways)("tokens in cookies: %s", (_, openWay) => {
  const open = () => openCookieHost(openWay())

  it("KEEP-03, KEEP-04: do not open with the session of another user, nor without one", async () => {
    const { host, idp, ask, cookies } = open()
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    idp.signInAs(other)
    const thief = host.newBrowser()
    await thief.signIn("work")
    copyTokens(host.browser, thief)
    expect(await ask(thief)).toEqual({ reason: "no-account" })
    const stranger = host.newBrowser()
    copyTokens(host.browser, stranger)
    expect(await ask(stranger)).toEqual({ reason: "signed-out" })
    expect(cookies(stranger)).toEqual([])
  })

  it("KEEP-03: do not open under the name of another provider, nor when they are changed", async () => {
    const { host, ask } = open()
    await host.browser.signIn("oidc")
    const { name, value } = host.browser.cookies.list().find((one) => one.name.includes("tokens.")) ?? expect.fail()
    host.browser.cookies.set(name.replace("oidc", "work"), value)
    expect(await ask(host.browser, "?provider=work")).toEqual({ reason: "no-account" })
    host.browser.cookies.set(name, `${value.slice(0, -3)}AAA`)
    expect(await ask(host.browser)).toEqual({ reason: "no-account" })
  })

  it("share one key, so that those of many users do not displace the key of the sessions", async () => {
    const { host, idp } = open()
    const browsers = [owner, other].map((user) => ({ user, browser: host.newBrowser() }))
    for (const { user, browser } of browsers) {
      idp.signInAs(user)
      await browser.signIn("oidc")
    }
    const sealed = browsers.map(({ browser }) => browser.cookies.get("__Host-authjs.tokens.oidc"))
    const headers = new Set(sealed.map((value) => value?.split(".", 1)[0]))
    expect([sealed.includes(undefined), headers.size]).toEqual([false, 1])
  })

  it("KEEP-01: are refreshed once for 50 callers, all of whom get the same token", async () => {
    const { host, ask, read, send, refreshes } = open()
    await host.browser.signIn("oidc")
    const { accessToken: old } = await ask(host.browser)
    clock.advance({ hours: 2 })
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(host.browser)))
    const answers = await Promise.all(responses.map(read))
    const tokens = new Set(answers.map(({ accessToken }) => accessToken))
    expect([tokens.size, tokens.has(old), tokens.has(undefined), refreshes()]).toEqual([1, false, false, 1])
    // KEEP-05: only the response that refreshed them carries them.
    expect(responses.filter((response) => setTokens(response).length > 0)).toHaveLength(1)
  })

  it("KEEP-05: a late response of before the refresh carries no token cookie", async () => {
    const { host, ask, read, send, refreshes } = open()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const late = await send(host.browser)
    expect(setTokens(late)).toHaveLength(1)
    const early = await send(host.browser)
    expect([(await read(early)).accessToken, setTokens(early)]).toEqual([expect.any(String), []])
    deliver(late, host.browser)
    deliver(early, host.browser)
    clock.advance({ minutes: 2 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect(refreshes()).toBe(1)
  })

  it("serve a request with the old cookie for a minute, over two refreshes", async () => {
    const { host, ask, read, send, refreshes, faults } = open()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(changing((tokens) => ({ ...tokens, expires_in: 61 })))
    const first = await send(host.browser)
    clock.advance({ seconds: 5 })
    const second = await read(await send(host.browser))
    expect([second.accessToken === (await read(first)).accessToken, refreshes()]).toEqual([false, 2])
    expect((await ask(host.browser)).accessToken).toBe(second.accessToken)
    expect(refreshes()).toBe(2)
  })

  it("are not refreshed where no cookie can be set, which the caller is told", async () => {
    const { host, ask, askInComponent, refreshes } = open()
    await host.browser.signIn("oidc")
    expect(await askInComponent(host.browser)).toMatchObject({ tokenType: "bearer" })
    clock.advance({ minutes: 59, seconds: 30 })
    expect(await askInComponent(host.browser)).toMatchObject({ tokenType: "bearer" })
    clock.advance({ minutes: 1 })
    expect([await askInComponent(host.browser), refreshes()]).toEqual([{ reason: "cannot-write" }, 0])
    const { accessToken } = await ask(host.browser)
    expect([(await askInComponent(host.browser)).accessToken, refreshes()]).toEqual([accessToken, 1])
  })

  it("leave the browser at the sign-out", async () => {
    const { host, ask, cookies } = open()
    await host.browser.signIn("oidc")
    expect(cookies(host.browser)).toEqual(["__Host-authjs.tokens.oidc"])
    await host.browser.signOut()
    expect(cookies(host.browser)).toEqual([])
    expect(await ask(host.browser)).toEqual({ reason: "signed-out" })
  })

  it("leave the browser when another user signs in", async () => {
    const { host, idp, ask, cookies } = open()
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    host.browser.cookies.delete("__Secure-authjs.session-token")
    idp.signInAs(other)
    await host.browser.signIn("work")
    expect(cookies(host.browser)).toEqual(["__Host-authjs.tokens.work"])
    expect(await ask(host.browser)).toEqual({ reason: "no-account" })
    expect(await ask(host.browser, "?provider=work")).toMatchObject({ tokenType: "bearer" })
  })

  it("KEEP-08: are ciphertext in the browser, and open after the secret was rotated", async () => {
    const { host, idp, ask } = open()
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser)
    const texts = host.browser.cookies.list().map(({ value }) => value)
    for (const { value } of idp.issued) expect(texts.join(" ")).not.toContain(value)
    expect(host.browser.cookies.visibleToScripts()).toBe("")
    Object.assign(host.config, { secret: ["a-new-secret-0123456789-abcdefghijklmn", String(host.config.secret)] })
    expect((await ask(host.browser)).accessToken).toBe(accessToken)
    expect(host.leaks()).toEqual([])
  })

  it("KEEP-02: ask for a new sign-in when an answer was lost, and never loop", async () => {
    const { host, ask, faults, refreshes } = open()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async (answer) => {
      await answer()
      throw new TypeError("fetch failed")
    })
    expect(await ask(host.browser)).toEqual({ reason: "unreachable" })
    clock.advance({ seconds: 16 })
    expect(await ask(host.browser)).toEqual({ reason: "refused" })
    expect(await ask(host.browser)).toEqual({ reason: "refused" })
    expect([refreshes(), host.events.of("tokensLost")]).toEqual([2, [expect.objectContaining({ provider: "oidc" })]])
    await host.browser.signIn("oidc")
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("stay while the provider is down", async () => {
    const { host, ask, faults } = open()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async () => new Response("down", { status: 503 }))
    expect(await ask(host.browser)).toEqual({ reason: "unreachable" })
    clock.advance({ seconds: 6 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("are those of the account that is asked for", async () => {
    const { host, idp, ask } = open()
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    expect(await ask(host.browser, "?account=ben")).toEqual({ reason: "no-account" })
    expect(await ask(host.browser, "?account=ada")).toMatchObject({ tokenType: "bearer" })
  })
})

describe("tokens in cookies", () => {
  it("are the default without an adapter that can replace them", async () => {
    for (const [adapter, expected] of [
      [undefined, 1],
      [publishedAdapter(), 1],
      [memoryAdapter(), 0],
    ] as const) {
      const { host, ask, cookies } = openCookieHost({ kept: {}, ...(adapter && { adapter }) })
      await host.browser.signIn("oidc")
      expect([cookies(host.browser).length, await ask(host.browser)]).toMatchObject([expected, { tokenType: "bearer" }])
    }
  })
})
