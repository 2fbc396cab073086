import { customFetch } from "@latchkey/core"
import { type AccessTokensOptions, accessTokens, disconnectAccount, getAccessToken } from "@latchkey/core/access-tokens"
import { trackSessions } from "@latchkey/core/sessions"
import { fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { cookiesOf, endById, listOf } from "../setup/tracked-setup.js"

const revocation = "https://idp.test/revoke"

interface RevokingOptions extends AccessTokensOptions {
  readonly strategy?: "jwt" | "database"
  readonly isTracked?: boolean
  /** What the provider answers. Default: 200. */
  readonly answer?: (form: URLSearchParams) => Promise<Response>
  /** Whether the discovery document names the endpoint. Default: true. */
  readonly isDiscovered?: boolean
  /** The provider's own option. */
  readonly configured?: string
}

/** A host whose provider revokes tokens, RFC 7009. */
function openRevoking(given: RevokingOptions = {}) {
  const {
    strategy = "jwt",
    isTracked,
    isDiscovered = true,
    answer = async () => new Response(null),
    configured,
    ...kept
  } = given
  const revoked: URLSearchParams[] = []
  const idp = fakeIdentityProvider({ metadata: isDiscovered ? { revocation_endpoint: revocation } : {} })
  const fetchOf: typeof fetch = async (input, init) => {
    if (String(input) !== (configured ?? revocation)) return idp.fetch(input, init)
    const sent = new Headers(init?.headers)
    expect([init?.method, sent.has("authorization")]).toEqual(["POST", true])
    const form = new URLSearchParams(String(init?.body))
    revoked.push(form)
    return answer(form)
  }
  const adapter = memoryAdapter()
  const provider = idp.provider({ [customFetch]: fetchOf, ...(configured !== undefined && { revocation: configured }) })
  const host = openHost({
    adapter,
    idp,
    session: { strategy, ...(isTracked && { track: trackSessions() }) },
    accessTokens: accessTokens(kept),
    providers: [provider],
  })
  const requestOf = (browser: typeof host.browser) =>
    new Request("https://app.test/", { headers: { cookie: cookiesOf(browser) } })
  return {
    host,
    revoked,
    ask: (browser = host.browser) => getAccessToken(requestOf(browser), host.config, { provider: "oidc" }),
    unlink: (browser = host.browser) => disconnectAccount(requestOf(browser), host.config, { provider: "oidc" }),
    async accounts() {
      const user = await adapter.getUserByEmail("ada@example.com")
      return adapter.listAccountsByUserId(user?.id ?? "")
    },
    /** The refresh tokens that the provider issued. */
    refreshTokens: () => idp.issued.filter(({ name }) => name.includes("refresh")).map(({ value }) => value),
  }
}

describe.each(["jwt", "database"] as const)("a sign-out with revoke: sign-out and %s sessions", (strategy) => {
  it("deletes the tokens and revokes the refresh token at the provider", async () => {
    const { host, revoked, ask, accounts, refreshTokens } = openRevoking({ strategy, revoke: "sign-out" })
    await host.browser.signIn("oidc")
    const other = host.newBrowser()
    await other.signIn("oidc")
    await host.browser.signOut()
    await expect.poll(() => revoked.map((form) => form.get("token"))).toEqual([refreshTokens().at(-1)])
    expect(revoked[0]?.get("token_type_hint")).toBe("refresh_token")
    await expect(ask(other)).rejects.toMatchObject({ reason: "no-refresh-token" })
    expect(await accounts()).toHaveLength(1)
    await host.browser.signIn("oidc")
    expect(await ask()).toMatchObject({ tokenType: "bearer" })
  })
})

describe.each(["jwt", "database"] as const)(
  "the end of the current session in the list, with %s sessions",
  (strategy) => {
    it("is a sign-out: deletes the tokens and revokes the refresh token at the provider", async () => {
      const { host, revoked, ask, refreshTokens } = openRevoking({ strategy, isTracked: true, revoke: "sign-out" })
      await host.browser.signIn("oidc")
      const other = host.newBrowser()
      await other.signIn("oidc")
      const [current] = await listOf(host.browser)
      expect((await endById(host.browser, String(current?.id))).status).toBe(200)
      await expect.poll(() => revoked.map((form) => form.get("token"))).toEqual([refreshTokens().at(-1)])
      await expect(ask(other)).rejects.toMatchObject({ reason: "no-refresh-token" })
    })

    it("clears the tokens in cookies", async () => {
      const { host } = openRevoking({ strategy, isTracked: true, keep: "cookie" })
      await host.browser.signIn("oidc")
      const count = () => host.browser.cookies.list().filter(({ name }) => name.includes("authjs.tokens.")).length
      const before = count()
      const [current] = await listOf(host.browser)
      await endById(host.browser, String(current?.id))
      expect([before, count()]).toEqual([1, 0])
    })
  },
)

describe("a sign-out", () => {
  it("does not wait for a provider that never answers", async () => {
    const { host, revoked } = openRevoking({ revoke: "sign-out", answer: () => new Promise(() => {}) })
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    expect(await host.browser.session()).toBeNull()
    await expect.poll(() => revoked.length).toBe(1)
  })

  it("KEEP-09: succeeds when the provider or the store fails, and logs no token", async () => {
    const answer = async (form: URLSearchParams) =>
      Response.json({ error: "invalid_request", error_description: `bad ${form.get("token")}` }, { status: 400 })
    const { host, revoked } = openRevoking({ revoke: "sign-out", answer })
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    expect(await host.browser.session()).toBeNull()
    await expect.poll(() => host.logger.errors).toMatchObject([{ message: expect.stringContaining("revoked") }])
    expect(revoked).toHaveLength(1)
    await host.browser.signIn("oidc")
    Object.assign(host.adapter ?? {}, { listAccountsByUserId: () => Promise.reject(new Error("away")) })
    await host.browser.signOut()
    expect(await host.browser.session()).toBeNull()
    await expect.poll(() => host.logger.errors.length).toBe(2)
    expect(host.leaks()).toEqual([])
  })

  it.each([{}, { revoke: "never" }] as const)("revokes nothing with %j", async (options) => {
    const { host, revoked, ask } = openRevoking(options)
    await host.browser.signIn("oidc")
    const other = host.newBrowser()
    await other.signIn("oidc")
    await host.browser.signOut()
    expect(await ask(other)).toMatchObject({ tokenType: "bearer" })
    expect(revoked).toEqual([])
  })

  it("leaves no token in the row with encrypt: false, nor a sealed text", async () => {
    const { host, revoked, accounts } = openRevoking({ revoke: "sign-out", encrypt: false })
    await host.browser.signIn("oidc")
    await host.browser.signOut()
    await expect.poll(() => revoked.length).toBe(1)
    expect(await accounts()).toMatchObject([{ access_token: "", refresh_token: "" }])
  })

  it("revokes nothing when nobody is signed in", async () => {
    const { host, revoked } = openRevoking({ revoke: "sign-out" })
    await host.browser.signOut()
    expect([revoked, host.logger.errors]).toEqual([[], []])
  })
})

describe("disconnectAccount", () => {
  it("removes the account of the signed-in user, and revokes its tokens", async () => {
    const { host, revoked, ask, unlink, accounts, refreshTokens } = openRevoking()
    await host.browser.signIn("oidc")
    expect(await unlink()).toEqual({ isRevoked: true })
    expect(await accounts()).toEqual([])
    expect(revoked.map((form) => form.get("token"))).toEqual(refreshTokens())
    await expect(ask()).rejects.toMatchObject({ reason: "no-account" })
    await expect(unlink()).rejects.toMatchObject({ reason: "no-account" })
  })

  it("KEEP-04: removes nothing for a visitor who is not signed in", async () => {
    const { host, revoked, unlink, accounts } = openRevoking()
    await host.browser.signIn("oidc")
    await expect(unlink(host.newBrowser())).rejects.toMatchObject({ reason: "signed-out" })
    expect([await accounts(), revoked]).toEqual([[expect.objectContaining({ provider: "oidc" })], []])
  })

  it("removes the account even if the provider cannot revoke, and tells it", async () => {
    const cases: readonly RevokingOptions[] = [
      { isDiscovered: false },
      { revoke: "never" },
      { answer: async () => new Response("down", { status: 500 }) },
    ]
    for (const options of cases) {
      const { host, unlink, accounts } = openRevoking(options)
      await host.browser.signIn("oidc")
      expect(await unlink()).toEqual({ isRevoked: false })
      expect(await accounts()).toEqual([])
    }
  })

  it("keeps account and tokens if the store fails to remove the account", async () => {
    const { host, revoked, ask, unlink } = openRevoking()
    await host.browser.signIn("oidc")
    const { accessToken } = await ask()
    Object.assign(host.adapter ?? {}, { unlinkAccount: () => Promise.reject(new Error("away")) })
    await expect(unlink()).rejects.toMatchObject({ type: "AdapterError" })
    expect([(await ask()).accessToken, revoked]).toEqual([accessToken, []])
  })

  it("asks a plain OAuth provider for no discovery document", async () => {
    const idp = fakeIdentityProvider({ metadata: { revocation_endpoint: revocation } })
    const providers = [{ ...idp.oauthProvider(), issuer: idp.issuer }]
    const host = openHost({
      adapter: memoryAdapter(),
      idp,
      session: { strategy: "jwt" },
      accessTokens: accessTokens(),
      providers,
    })
    await host.browser.signIn("oauth")
    const request = new Request("https://app.test/", { headers: { cookie: cookiesOf(host.browser) } })
    expect(await disconnectAccount(request, host.config, { provider: "oauth" })).toEqual({ isRevoked: false })
    expect([idp.requests.discovery, host.logger.errors]).toEqual([[], []])
  })

  it("uses the endpoint of the provider's configuration, and refuses one without https", async () => {
    const own = openRevoking({ isDiscovered: false, configured: "https://idp.test/own-revoke" })
    await own.host.browser.signIn("oidc")
    expect([await own.unlink(), own.revoked.length]).toEqual([{ isRevoked: true }, 1])
    const plain = openRevoking({ isDiscovered: false, configured: "http://idp.test/revoke" })
    await plain.host.browser.signIn("oidc")
    expect([await plain.unlink(), plain.revoked.length]).toEqual([{ isRevoked: false }, 0])
  })
})
