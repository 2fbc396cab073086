import { type AccessTokensOptions, AccessTokenUnavailable, getAccessToken } from "@latchkey/core/access-tokens"
import { providerLogout } from "@latchkey/core/provider-logout"
import { trackSessions } from "@latchkey/core/sessions"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { memoryTokenStore } from "@latchkey/testkit/adapter"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { deliver, headerOf, openCookieHost, publishedAdapter, setTokens } from "../setup/cookie-setup.js"
import { changing } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

/** Text that does not become shorter when it is sealed. */
const long = (length: number) => "x".repeat(length)
const longTokens = (length: number) => changing((tokens) => ({ ...tokens, access_token: long(length) }))
const owner = { sub: "ada", email: "ada@example.com", email_verified: true }
const other = { sub: "ben", email: "ben@example.com", email_verified: true }

describe("tokens in cookies: their size", () => {
  it("split them into up to four cookies, and clear those that are not needed any more", async () => {
    const { host, ask, faults, cookies, refreshes } = openCookieHost()
    faults.push(longTokens(6000))
    await host.browser.signIn("oidc")
    expect(cookies(host.browser)).toEqual([0, 1, 2].map((n) => `__Host-authjs.tokens.oidc.${n}`))
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    clock.advance({ hours: 2 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect([cookies(host.browser), refreshes()]).toEqual([["__Host-authjs.tokens.oidc"], 1])
    expect(host.browser.cookies.refused).toEqual([])
  })

  it("tokens too large for any browser are not kept: the log says so, and the sign-in goes on", async () => {
    const { host, ask, faults, cookies } = openCookieHost()
    await host.browser.signIn("oidc")
    faults.push(longTokens(12_000))
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect([cookies(host.browser), await ask(host.browser)]).toEqual([[], { reason: "no-account" }])
    expect(host.logger.errors).toMatchObject([
      {
        message: expect.stringMatching(
          /tokens were not kept\. They are too large .* Use accessTokens\(\{ keep: "account"/,
        ),
      },
    ])
  })

  it("counts together with the session and the tokens of the other provider", async () => {
    const { host, ask, faults } = openCookieHost({ adapter: publishedAdapter(), session: { strategy: "jwt" } })
    faults.push(longTokens(5000))
    await host.browser.signIn("oidc")
    faults.push(longTokens(5000))
    await host.browser.signIn("work")
    expect(host.logger.errors).toHaveLength(1)
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect(await ask(host.browser, "?provider=work")).toEqual({ reason: "no-account" })
    expect(headerOf(host.browser).length).toBeLessThan(14 * 1024)
  })

  it("tokens that a refresh makes too large clear the cookie, and are served once more", async () => {
    const { host, ask, faults, cookies } = openCookieHost()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(longTokens(12_000))
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect([cookies(host.browser), host.logger.errors.length]).toEqual([[], 1])
    expect(await ask(host.browser)).toEqual({ reason: "no-account" })
  })

  it("leaves the sum of the service's cookies within what a server accepts, also while sign-ins are in progress", async () => {
    const { host, faults, cookies } = openCookieHost()
    faults.push(longTokens(6000))
    await host.browser.signIn("oidc")
    const { csrfToken } = (await (await host.browser.fetch("/auth/csrf")).json()) as { csrfToken: string }
    for (let n = 0; n < 6; n++) {
      const form = { csrfToken, callbackUrl: `/${long(400)}${n}` }
      const answer = await host.browser.fetch("/auth/signin/work", { method: "POST", json: form })
      expect(answer.status).toBeLessThan(400)
    }
    expect(cookies(host.browser)).toHaveLength(3)
    expect(headerOf(host.browser).length).toBeLessThan(14 * 1024)
    expect(await host.browser.session()).not.toBeNull()
  })

  it("is that of two providers at most", async () => {
    const { host, ask, cookies } = openCookieHost({ adapter: publishedAdapter(), session: { strategy: "jwt" } })
    for (const id of ["oidc", "work", "third"]) await host.browser.signIn(id)
    expect(cookies(host.browser)).toEqual(["__Host-authjs.tokens.oidc", "__Host-authjs.tokens.work"])
    expect(await ask(host.browser, "?provider=third")).toEqual({ reason: "no-account" })
    expect(await ask(host.browser, "?provider=work")).toMatchObject({ tokenType: "bearer" })
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("2 other providers") }])
  })
})

describe("tokens in cookies: the account", () => {
  it("KEEP-08: leave no copy in the database, unless its code reads them there", async () => {
    for (const encrypt of [true, false]) {
      const adapter = memoryAdapter()
      const { host, idp } = openCookieHost({ adapter, kept: { keep: "cookie", encrypt } })
      await host.browser.signIn("oidc")
      const users = await Promise.all(["ada@example.com"].map((email) => adapter.getUserByEmail(email)))
      const rows = JSON.stringify(await adapter.listAccountsByUserId(users[0]?.id ?? ""))
      expect(rows).toContain('"provider":"oidc"')
      expect(idp.issued.some(({ value }) => rows.includes(value))).toBe(!encrypt)
    }
  })

  it("KEEP-04: are not refreshed after the account was linked to another user", async () => {
    const adapter = publishedAdapter()
    const { host, idp, ask, refreshes } = openCookieHost({ adapter, session: { strategy: "jwt" } })
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    idp.signInAs(other)
    await host.newBrowser().signIn("oidc")
    const ben = await adapter.getUserByEmail?.(other.email)
    await adapter.unlinkAccount?.({ provider: "oidc", providerAccountId: "ada" })
    await adapter.linkAccount?.({ provider: "oidc", providerAccountId: "ada", type: "oidc", userId: ben?.id ?? "" })
    clock.advance({ hours: 2 })
    expect([await ask(host.browser), refreshes()]).toEqual([{ reason: "no-account" }, 0])
    expect(await ask(host.browser, "?account=ada")).toEqual({ reason: "no-account" })
    // Nor unlinked from that user.
    expect((await host.browser.fetch("/unlink")).status).toBe(503)
    expect(await adapter.getUserByAccount?.({ provider: "oidc", providerAccountId: "ada" })).toMatchObject({
      id: ben?.id,
    })
  })

  it.each([
    ["in cookies", (): AccessTokensOptions => ({ keep: "cookie" })],
    ["in a store of their own", (): AccessTokensOptions => ({ keep: memoryTokenStore() })],
  ])("KEEP-04: are never those of another account of the same user: %s", async (_, kept) => {
    const adapter = publishedAdapter()
    const { host, idp, ask, refreshes } = openCookieHost({ adapter, session: { strategy: "jwt" }, kept: kept() })
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    const first = await ask(host.browser, "?account=ada")
    // The same user links a second account of the provider.
    idp.signInAs(other)
    await host.browser.signIn("oidc")
    const user = await adapter.getUserByAccount?.({ provider: "oidc", providerAccountId: "ben" })
    expect(user).toMatchObject({ email: owner.email })
    for (const hours of [0, 2]) {
      clock.advance({ hours })
      expect(await ask(host.browser, "?account=ada")).toEqual({ reason: "no-account" })
      const second = await ask(host.browser, "?account=ben")
      expect(await ask(host.browser)).toEqual(second)
      expect(second).toMatchObject({ accessToken: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(second.accessToken).not.toBe(first.accessToken)
    }
    expect(refreshes()).toBe(1)
    // A sign-in with the first account brings back its tokens, and takes those of the second one away.
    idp.signInAs(owner)
    await host.browser.signIn("oidc")
    expect(await ask(host.browser, "?account=ada")).not.toHaveProperty("reason")
    expect(await ask(host.browser, "?account=ben")).toEqual({ reason: "no-account" })
  })

  it("KEEP-04: stay when another account of the same provider is unlinked, on published adapters too", async () => {
    const adapter = publishedAdapter()
    const { host, idp, ask, revoked } = openCookieHost({ adapter, session: { strategy: "jwt" } })
    for (const profile of [owner, other]) {
      idp.signInAs(profile)
      await host.browser.signIn("oidc")
    }
    expect((await host.browser.fetch("/unlink?account=stranger")).status).toBe(503)
    const answer = await host.browser.fetch("/unlink?account=ada")
    expect([answer.status, await answer.json(), revoked]).toEqual([200, { isRevoked: false }, []])
    const findOwner = (id: string) => adapter.getUserByAccount?.({ provider: "oidc", providerAccountId: id })
    expect(await findOwner("ada")).toBeNull()
    expect(await findOwner("ben")).toMatchObject({ email: owner.email })
    expect(await ask(host.browser, "?account=ben")).not.toHaveProperty("reason")
  })

  it("leave the browser when the account is unlinked", async () => {
    const adapter = memoryAdapter()
    const { host, ask, cookies, revoked } = openCookieHost({ adapter, session: { strategy: "jwt" } })
    await host.browser.signIn("oidc")
    expect((await host.browser.fetch("/unlink")).status).toBe(200)
    expect(revoked).toHaveLength(1)
    expect([cookies(host.browser), await ask(host.browser)]).toEqual([[], { reason: "no-account" }])
    const user = await adapter.getUserByEmail("ada@example.com")
    expect(await adapter.listAccountsByUserId(user?.id ?? "")).toEqual([])
  })

  it("keep the refresh token if a later sign-in brings none", async () => {
    const { host, ask, faults, refreshes } = openCookieHost({ adapter: publishedAdapter() })
    await host.browser.signIn("oidc")
    faults.push(changing(({ refresh_token: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect(refreshes()).toBe(1)
  })

  it("follow a provider that keeps its refresh token", async () => {
    const { host, ask, send, read, idp, faults, refreshes } = openCookieHost()
    await host.browser.signIn("oidc")
    const first = idp.issued.find(({ name }) => name.includes("refresh"))?.value
    for (const n of [1, 2]) {
      clock.advance({ hours: 2 })
      faults.push(async () =>
        Response.json({ access_token: `next-${n}`, token_type: "bearer", expires_in: 3600, refresh_token: first }),
      )
      const old = await send(host.browser)
      const answers = [await read(old.clone()), await ask(host.browser), await ask(host.browser)]
      expect(new Set(answers.map(({ accessToken }) => accessToken)).size).toBe(1)
      deliver(old, host.browser)
    }
    expect(refreshes()).toBe(0)
  })
})

describe("tokens in cookies: the end of a session", () => {
  it("leave the browser together with what other features keep there", async () => {
    const { host, ask, cookies } = openCookieHost({ providerLogout: providerLogout() })
    await host.browser.signIn("oidc")
    expect(host.browser.cookies.names()).toContain("__Host-authjs.hint")
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    await host.browser.signOut()
    expect([cookies(host.browser), host.browser.cookies.get("__Host-authjs.hint")]).toEqual([[], undefined])
  })

  it("leave the browser when its session was ended elsewhere, and stay while the store is away", async () => {
    const adapter = memoryAdapter()
    const session = { strategy: "jwt", track: trackSessions({ checkEvery: 0 }) } as const
    const { host, ask, cookies } = openCookieHost({ adapter, session })
    await host.browser.signIn("oidc")
    const { seeSession } = adapter
    Object.assign(host.adapter ?? {}, { seeSession: () => Promise.reject(new Error("away")) })
    await expect(ask(host.browser)).rejects.toThrow("could not be looked up")
    expect(cookies(host.browser)).toHaveLength(1)
    Object.assign(host.adapter ?? {}, { seeSession })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    const user = await adapter.getUserByEmail("ada@example.com")
    await adapter.endSessions({ userId: user?.id ?? "" })
    expect([await ask(host.browser), cookies(host.browser)]).toEqual([{ reason: "signed-out" }, []])
  })

  it("serves new tokens although their response was sent meanwhile, and sets them with the next one", async () => {
    const { host, cookies, refreshes, faults } = openCookieHost()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const headers = new Headers()
    const { append } = headers
    faults.push(async (answer) => {
      headers.append = () => {
        throw new TypeError("the response was sent")
      }
      return answer()
    })
    const ask = (given: Headers) =>
      getAccessToken(new Request("https://app.test/", { headers: { cookie: headerOf(host.browser) } }), host.config, {
        provider: "oidc",
        headers: given,
      })
    const { accessToken } = await ask(headers)
    expect(headers.getSetCookie()).toEqual([])
    headers.append = append
    const next = new Headers()
    expect([(await ask(next)).accessToken, refreshes()]).toEqual([accessToken, 1])
    expect([setTokens(new Response(null, { headers: next })).length, cookies(host.browser).length]).toEqual([1, 1])
    expect(next.get("cache-control")).toBe("private, no-store")
  })

  it("are not refreshed with headers that cannot be changed", async () => {
    const { host, refreshes } = openCookieHost()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    // Those of a response that was fetched are immutable, too.
    const { headers } = await fetch("data:,")
    const request = new Request("https://app.test/", { headers: { cookie: headerOf(host.browser) } })
    const asked = getAccessToken(request, host.config, { provider: "oidc", headers })
    await expect(asked).rejects.toBeInstanceOf(AccessTokenUnavailable)
    await expect(asked).rejects.toMatchObject({ reason: "cannot-write" })
    expect(refreshes()).toBe(0)
  })

  it("are revoked at the sign-out, if that is chosen", async () => {
    const kept = { keep: "cookie", revoke: "sign-out" } as const
    const { host, idp, cookies, revoked } = openCookieHost({ kept })
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    expect(cookies(host.browser)).toEqual([])
    const issued = idp.issued.filter(({ name }) => name.includes("refresh")).map(({ value }) => value)
    await expect.poll(() => revoked).toEqual(issued)
  })
})
