import { AuthError } from "@latchkey/core"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { changing, openKept, type Token } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

describe.each(["jwt", "database"] as const)("getAccessToken with %s sessions", (strategy) => {
  it("returns a token that lives long enough as it is", async () => {
    const { host, ask, refreshes } = openKept({ session: { strategy } })
    await host.browser.signIn("oidc")
    const { accessToken, expiresAt, scope, tokenType } = await ask(host.browser)
    expect(host.idp.issued.map(({ value }) => value)).toContain(accessToken)
    expect([expiresAt?.valueOf(), tokenType, scope]).toEqual([clock.now() + 3600_000, "bearer", expect.any(String)])
    expect(refreshes()).toBe(0)
  })

  it("KEEP-01: refreshes once for 50 callers in each of three processes, and all get the same token", async () => {
    const { host, ask, refreshes, newProcess } = openKept({ session: { strategy } })
    await host.browser.signIn("oidc")
    const { accessToken: old } = await ask(host.browser)
    clock.advance({ hours: 2 })
    const processes = [host.config, newProcess(), newProcess()]
    const asked = processes.flatMap((config) => Array.from({ length: 50 }, () => ask(host.browser, {}, config)))
    const found = new Set((await Promise.all(asked)).map(({ accessToken }) => accessToken))
    expect([found.size, found.has(old), refreshes()]).toEqual([1, false, 1])
    expect(host.events.of("tokensRefreshed")).toHaveLength(1)
  })

  it("KEEP-04: returns no token of another user's account, nor any to a visitor without a session", async () => {
    const { host, ask, fail, row } = openKept({ session: { strategy } })
    await host.browser.signIn("oidc")
    const { providerAccountId } = await row()
    host.idp.signInAs({ sub: "ben", email: "ben@example.com", email_verified: true })
    const other = host.newBrowser()
    await other.signIn("oidc")
    for (const foreign of [providerAccountId, [providerAccountId], "__proto__", "", null])
      expect(await fail(other, { providerAccountId: foreign as string })).toMatchObject({ reason: "no-account" })
    expect((await ask(other)).accessToken).not.toBe((await ask(host.browser)).accessToken)
    expect(await fail(host.newBrowser())).toMatchObject({ reason: "signed-out" })
  })
})

describe("getAccessToken", () => {
  it("opens the tokens of an account whose id the adapter returns as a number", async () => {
    const { host, adapter, ask, idp, refreshes } = openKept()
    idp.signInAs({ sub: "1815", email: "ada@example.com", email_verified: true })
    const { listAccountsByUserId, getAccount } = adapter
    // as: some adapters return the database's own type.
    const toRow = <T extends object>(row: T) => ({ ...row, providerAccountId: 1815 as unknown as string })
    Object.assign(host.config.adapter ?? {}, {
      listAccountsByUserId: async (id: string) => (await listAccountsByUserId(id)).map(toRow),
      async getAccount(...key: Parameters<typeof getAccount>) {
        const found = await getAccount(...key)
        return found && toRow(found)
      },
    })
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser, { providerAccountId: "1815" })
    expect(idp.issued.map(({ value }) => value)).toContain(accessToken)
    clock.advance({ hours: 2 })
    expect((await ask(host.browser)).accessToken).not.toBe(accessToken)
    expect((await ask(host.browser)).accessToken).not.toBe(accessToken)
    expect(refreshes()).toBe(1)
  })

  it("KEEP-02: lets another process refresh when the first one was killed before the call", async () => {
    const { host, ask, faults, newProcess, refreshes } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(() => new Promise(() => {}))
    void ask(host.browser).catch(() => {})
    await expect.poll(() => faults.length).toBe(0)
    clock.advance({ seconds: 16 })
    expect(await ask(host.browser, {}, newProcess())).toMatchObject({ tokenType: "bearer" })
    expect(refreshes()).toBe(1)
  })

  it("KEEP-01: does not use the refresh token when the store was so slow that another caller may use it", async () => {
    const { host, adapter, ask, fail, newProcess, refreshes } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    let readsWithLease = Number.NaN
    const slow: typeof adapter = {
      ...adapter,
      async takeLease(lease) {
        readsWithLease = 0
        return adapter.takeLease(lease)
      },
      async getAccount(...key) {
        readsWithLease += 1
        // The first read looks whether another caller was faster.
        if (readsWithLease === 2) clock.advance({ seconds: 11 })
        return adapter.getAccount(...key)
      },
    }
    expect(await fail(host.browser, {}, newProcess({ adapter: slow }))).toMatchObject({ reason: "unreachable" })
    expect([readsWithLease > 1, refreshes()]).toEqual([true, 0])
    // All services of this process share the memory of the failure.
    clock.advance({ seconds: 6 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect(refreshes()).toBe(1)
  })

  it("KEEP-02: asks for a new sign-in, once, when the first process was killed after the call", async () => {
    const { host, ask, fail, faults, newProcess, refreshes } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async (answer) => {
      await answer()
      return new Promise(() => {})
    })
    void ask(host.browser).catch(() => {})
    await expect.poll(refreshes).toBe(1)
    clock.advance({ seconds: 16 })
    const other = newProcess()
    expect(await fail(host.browser, {}, other)).toMatchObject({ reason: "refused", cause: { provider: "oidc" } })
    expect(await fail(host.browser, {}, other)).toMatchObject({ reason: "refused" })
    expect([refreshes(), host.events.of("tokensLost")]).toEqual([2, [expect.objectContaining({ provider: "oidc" })]])
    await host.browser.signIn("oidc")
    expect(await ask(host.browser, {}, other)).toMatchObject({ tokenType: "bearer" })
  })

  it("KEEP-02: says that another process has not finished its refresh, such as one that was killed, and blames no provider", async () => {
    const { host, adapter, fail, newProcess, refreshes } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    const held: typeof adapter = {
      ...adapter,
      async takeLease() {
        clock.advance({ seconds: 6 })
        return false
      },
    }
    const failure = await fail(host.browser, {}, newProcess({ adapter: held }))
    expect(failure).toMatchObject({ reason: "unreachable", message: expect.stringContaining("has not finished") })
    expect([JSON.stringify(failure).includes("did not answer"), refreshes()]).toEqual([false, 0])
  })

  it("KEEP-02: says that the answer of the provider was lost", async () => {
    const { host, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async (answer) => {
      await answer()
      throw new TypeError("fetch failed")
    })
    expect(await fail(host.browser)).toMatchObject({
      reason: "unreachable",
      message: expect.stringContaining("is missing"),
    })
  })

  it("KEEP-02: does not use the refresh token while the keys that verify the answer cannot be fetched", async () => {
    const { host, ask, fail, outages, refreshes } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    outages.add("jwks")
    expect(await fail(host.browser)).toMatchObject({ reason: "unreachable" })
    expect(refreshes()).toBe(0)
    outages.clear()
    clock.advance({ seconds: 6 })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    expect(refreshes()).toBe(1)
  })

  it("KEEP-02: verifies the answer although the provider rotated its keys twice within a short time", async () => {
    const { host, idp, ask } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    idp.signInAs({ sub: "ben", email: "ben@example.com", email_verified: true })
    const other = host.newBrowser()
    for (const rotate of [() => {}, idp.rotateKeys]) {
      rotate()
      await other.signIn("oidc")
    }
    expect(await other.session()).not.toBeNull()
    idp.rotateKeys()
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("keeps the tokens while the provider is down, and serves the old one while it lives", async () => {
    const { host, ask, fail, faults, row } = openKept()
    await host.browser.signIn("oidc")
    const before = await row()
    const { accessToken } = await ask(host.browser)
    clock.advance({ minutes: 59, seconds: 30 })
    const down = async () => new Response("down", { status: 503 })
    faults.push(down, down)
    expect((await ask(host.browser)).accessToken).toBe(accessToken)
    clock.advance({ minutes: 1 })
    expect(await fail(host.browser)).toMatchObject({ reason: "unreachable" })
    expect(await row()).toEqual(before)
    clock.advance({ seconds: 6 })
    expect((await ask(host.browser)).accessToken).not.toBe(accessToken)
  })

  it("serves new tokens that the store failed to take, and writes them with the next call", async () => {
    const { host, adapter, ask, row, refreshes, newProcess } = openKept()
    await host.browser.signIn("oidc")
    const before = await row()
    clock.advance({ hours: 2 })
    const { replaceTokens } = adapter
    const failing = newProcess({ adapter: { ...adapter, replaceTokens: () => Promise.reject(new Error("away")) } })
    const { accessToken } = await ask(host.browser, {}, failing)
    expect(await row()).toEqual(before)
    Object.assign(failing.adapter ?? {}, { replaceTokens })
    expect((await ask(host.browser, {}, failing)).accessToken).toBe(accessToken)
    expect((await ask(host.browser)).accessToken).toBe(accessToken)
    expect(refreshes()).toBe(1)
    expect(host.logger.errors).toMatchObject([{ type: "AdapterError" }])
  })

  it("KEEP-03: does not open tokens that were copied from the row of another user", async () => {
    const { host, adapter, ask, fail, row } = openKept()
    await host.browser.signIn("oidc")
    const stolen = await row()
    host.idp.signInAs({ sub: "ben", email: "ben@example.com", email_verified: true })
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const ben = await adapter.getUserByEmail("ben@example.com")
    const [own] = await adapter.listAccountsByUserId(ben?.id ?? "")
    const { access_token, refresh_token } = stolen
    const tokens = { access_token: access_token ?? "", refresh_token: refresh_token ?? "" }
    const from = own?.refresh_token ?? ""
    expect(await adapter.replaceTokens({ provider: "oidc", providerAccountId: "ben" }, { from, tokens })).toBe(true)
    expect(await fail(thief)).toMatchObject({ reason: "no-refresh-token" })
    expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
  })

  it("KEEP-06: refuses the tokens of a refresh whose ID token names another user", async () => {
    const { host, fail, faults, row } = openKept()
    await host.browser.signIn("oidc")
    const before = await row()
    clock.advance({ hours: 2 })
    let other: Token = {}
    faults.push(
      changing((tokens) => {
        other = tokens
        return tokens
      }),
    )
    host.idp.signInAs({ sub: "ben", email: "ben@example.com", email_verified: true })
    await host.newBrowser().signIn("oidc")
    faults.push(changing(() => other))
    expect(await fail(host.browser)).toMatchObject({
      reason: "refused",
      cause: { err: { message: "The new ID token names another user than the first one" } },
    })
    expect(await row()).toEqual(before)
  })

  it("KEEP-06: refuses the tokens of a refresh whose ID token has a wrong signature", async () => {
    const { host, fail, row } = openKept()
    await host.browser.signIn("oidc")
    const before = await row()
    clock.advance({ hours: 2 })
    host.idp.faults.turnOn("id-token-signed-by-a-stranger")
    expect(await fail(host.browser)).toMatchObject({ reason: "refused" })
    expect(await row()).toEqual(before)
  })

  it("KEEP-07: stores the scope as the provider narrowed it, and returns no token without a scope that is asked for", async () => {
    const { host, ask, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    const { scope } = await ask(host.browser, { scope: "openid email" })
    expect(scope?.split(" ")).toContain("email")
    expect(await fail(host.browser, { scope: "openid calendar" })).toMatchObject({ reason: "scope-missing" })
    clock.advance({ hours: 2 })
    faults.push(changing((tokens) => ({ ...tokens, scope: "openid" })))
    expect(await ask(host.browser)).toMatchObject({ scope: "openid" })
    expect(await fail(host.browser, { scope: "email" })).toMatchObject({ reason: "scope-missing" })
  })

  it("KEEP-07: takes the scope that was asked for as granted if the provider names none", async () => {
    const { host, ask, fail, faults } = openKept()
    const unnamed = changing(({ scope: _, ...tokens }) => tokens)
    faults.push(unnamed, unnamed, unnamed)
    await host.browser.signIn("oidc")
    expect(await ask(host.browser, { scope: "email" })).toMatchObject({ scope: "openid profile email" })
    await host.browser.signIn("oidc", {}, { scope: "openid calendar" })
    expect(await ask(host.browser, { scope: "calendar" })).toMatchObject({ scope: "openid calendar" })
    expect(await fail(host.browser, { scope: "email" })).toMatchObject({ reason: "scope-missing" })
    clock.advance({ hours: 2 })
    expect(await ask(host.browser, { scope: "calendar" })).toMatchObject({ scope: "openid calendar" })
  })

  it("KEEP-07: does not take a scope as granted that the flow had no room to keep", async () => {
    const { host, ask, fail, faults } = openKept()
    faults.push(changing(({ scope: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc", {}, { scope: `openid ${"a".repeat(500)}` })
    expect(await ask(host.browser)).toMatchObject({ scope: null })
    expect(await fail(host.browser, { scope: "openid" })).toMatchObject({ reason: "scope-missing" })
  })

  it("KEEP-08: stores ciphertext at the sign-in and at each refresh, and opens it after the secret was rotated", async () => {
    const { host, idp, ask, row, newProcess } = openKept()
    const expectSealed = async () => {
      const text = JSON.stringify(await row())
      for (const { value } of idp.issued) expect(text).not.toContain(value)
    }
    await host.browser.signIn("oidc")
    await expectSealed()
    clock.advance({ hours: 2 })
    const rotated = newProcess({ secret: ["a-new-secret-0123456789-abcdefghijklmn", String(host.config.secret)] })
    const { accessToken } = await ask(host.browser, {}, rotated)
    await expectSealed()
    expect((await ask(host.browser, {}, rotated)).accessToken).toBe(accessToken)
  })

  it("KEEP-09: names no token in an error, an event or the log", async () => {
    const { host, idp, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async (answer) => {
      const { refresh_token } = (await (await answer()).json()) as Token
      const used = idp.requests.token.at(-1)?.params.get("refresh_token")
      return Response.json({ error: "invalid_grant", error_description: `${used} ${refresh_token}` }, { status: 400 })
    })
    const error = await fail(host.browser)
    const used = idp.requests.token.at(-1)?.params.get("refresh_token") ?? expect.unreachable()
    const shown = [error.message, error.stack, JSON.stringify(error), JSON.stringify(error.cause?.err)].join()
    expect([error.reason, shown.includes(used)]).toEqual(["refused", false])
    expect(JSON.stringify(host.events.of("tokensLost"))).not.toContain(used)
    expect(host.leaks()).toEqual([])
  })

  it.each([
    ["invalid_grant", 400],
    ["bad_refresh_token", 200],
    ["invalid_refresh_token", 200],
    ["invalid_refresh_token", 400],
  ])("asks for another sign-in after %s with status %i", async (code, status) => {
    const { host, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async () => Response.json({ ok: false, error: code }, { status }))
    expect((await fail(host.browser)).reason).toBe("refused")
    expect(host.events.of("tokensLost")).toHaveLength(1)
  })

  it("refuses a provider without tokens, and a configuration without the option", async () => {
    const { host, ask, newProcess } = openKept()
    await host.browser.signIn("oidc")
    await expect(ask(host.browser, { provider: "other" })).rejects.toThrow(/provider must be the id of an OAuth/)
    const { accessTokens: _, ...without } = newProcess()
    await expect(ask(host.browser, {}, without)).rejects.toThrow(
      "accessTokens: missing. Write accessTokens: accessTokens()",
    )
    await expect(ask(host.browser, {}, without)).rejects.toBeInstanceOf(AuthError)
  })
})
