import { customFetch } from "@latchkey/core"
import { type AccessTokensOptions, accessTokens } from "@latchkey/core/access-tokens"
import { fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { memoryTokenStore } from "@latchkey/testkit/adapter"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { changing, openKept } from "../setup/kept-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const withoutLifetime = changing(({ expires_in: _, ...tokens }) => tokens)

describe("a provider that refuses the request of a refresh", () => {
  it.each([
    ["invalid_client", 401],
    ["unauthorized_client", 400],
    ["unsupported_grant_type", 400],
    ["invalid_request", 400],
    [undefined, 403],
    [undefined, 415],
  ])(
    "is reported as misconfigured for the error %s with status %i, and the user keeps the tokens",
    async (error, status) => {
      const { host, ask, fail, faults, row } = openKept()
      await host.browser.signIn("oidc")
      const before = await row()
      clock.advance({ hours: 2 })
      faults.push(async () => Response.json({ error }, { status }))
      const failure = await fail(host.browser)
      expect(failure).toMatchObject({ reason: "misconfigured", cause: { err: { status } } })
      expect(failure.message).not.toMatch(/later/)
      expect([await row(), host.events.of("tokensLost")]).toEqual([before, []])
      clock.advance({ seconds: 6 })
      expect(await ask(host.browser)).toMatchObject({ tokenType: "bearer" })
    },
  )

  it.each([
    ["temporarily_unavailable", 400],
    ["slow_down", 400],
    [undefined, 408],
    [undefined, 429],
    [undefined, 500],
    ["server_error", 503],
  ])("is reported as unreachable for the error %s with status %i", async (error, status) => {
    const { host, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(async () => Response.json({ error }, { status }))
    expect(await fail(host.browser)).toMatchObject({ reason: "unreachable" })
  })
})

describe.each<[string, AccessTokensOptions]>([
  ["accounts", {}],
  ["accounts in clear", { encrypt: false }],
  ["a store", { keep: memoryTokenStore() }],
])("tokens in %s", (_, options) => {
  function openOwn() {
    const idp = fakeIdentityProvider()
    const locations: (string | null)[] = []
    const callbackLocation = () => `eu-${locations.length}`
    const provider = idp.provider({
      [customFetch]: idp.fetch,
      authorization: {
        conform({ parameters }) {
          parameters.set("location", callbackLocation())
          return parameters
        },
      },
      token: {
        keptParams: ["location"],
        request({ url, headers, params, callback, provider: own }) {
          locations.push(callback.get("location"))
          return own.fetch(url, { method: "POST", headers, body: params })
        },
      },
    })
    return { ...openKept({ accessTokens: accessTokens(options), providers: [provider], idp }), locations }
  }

  it("are refreshed by the provider's own request, with the parameters of its callback", async () => {
    const { host, ask, locations } = openOwn()
    await host.browser.signIn("oidc")
    for (let n = 0; n < 2; n++) {
      clock.advance({ hours: 2 })
      await ask(host.browser)
    }
    expect(locations).toEqual(["eu-0", "eu-0", "eu-0"])
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    await ask(host.browser)
    expect(locations.slice(3)).toEqual(["eu-3", "eu-3"])
    expect(JSON.stringify(host.events.of("linkAccount"))).not.toContain("\\n")
  })

  it("are refreshed after the lifetime that the provider named last", async () => {
    const { host, ask, faults, refreshes } = openKept({ accessTokens: accessTokens(options) })
    await host.browser.signIn("oidc")
    clock.advance({ hours: 2 })
    faults.push(withoutLifetime, withoutLifetime)
    const { expiresAt } = await ask(host.browser)
    const isKept = options.encrypt !== false
    expect(expiresAt?.valueOf()).toBe(isKept ? clock.now() + 3600_000 : undefined)
    clock.advance({ hours: 2 })
    await ask(host.browser)
    expect(refreshes()).toBe(isKept ? 2 : 1)
  })

  it("live as long as those of the provider usually do, if it never names a lifetime", async () => {
    const idp = fakeIdentityProvider()
    const provider = idp.provider({
      [customFetch]: async (input, init) => {
        const answer = () => idp.fetch(input, init)
        return String(input).includes("/token") ? withoutLifetime(answer) : answer()
      },
      token: { expiresIn: 1800 },
    })
    const { host, ask } = openKept({ accessTokens: accessTokens(options), providers: [provider], idp })
    const refreshes = () => idp.requests.token.filter(({ params }) => params.has("refresh_token")).length
    await host.browser.signIn("oidc")
    for (let n = 0; n < 3; n++) {
      expect((await ask(host.browser)).expiresAt?.valueOf()).toBe(clock.now() + 1800_000)
      expect(refreshes()).toBe(n)
      clock.advance({ minutes: 31 })
    }
  })
})

describe("getAccessToken with not", () => {
  it("KEEP-01: replaces a token that the API refused, once for all callers in all processes", async () => {
    const { host, ask, faults, refreshes, newProcess } = openKept()
    faults.push(withoutLifetime, withoutLifetime)
    await host.browser.signIn("oidc")
    const { accessToken: not, expiresAt } = await ask(host.browser)
    const processes = [host.config, newProcess(), newProcess()]
    const asked = processes.flatMap((config) => Array.from({ length: 20 }, () => ask(host.browser, { not }, config)))
    const found = new Set((await Promise.all(asked)).map(({ accessToken }) => accessToken))
    expect([expiresAt, found.size, found.has(not), refreshes()]).toEqual([null, 1, false, 1])
    expect([...found]).toContain((await ask(host.browser)).accessToken)
  })

  it("returns the current token if it is another one", async () => {
    const { host, ask, refreshes } = openKept()
    await host.browser.signIn("oidc")
    const { accessToken } = await ask(host.browser)
    expect((await ask(host.browser, { not: "an-older-one" })).accessToken).toBe(accessToken)
    expect(refreshes()).toBe(0)
  })

  it("never returns the refused token, although it lives and the provider is down", async () => {
    const { host, ask, fail, faults } = openKept()
    await host.browser.signIn("oidc")
    const { accessToken: not } = await ask(host.browser)
    faults.push(async () => new Response("down", { status: 503 }))
    expect(await fail(host.browser, { not })).toMatchObject({ reason: "unreachable" })
    expect((await ask(host.browser)).accessToken).toBe(not)
  })

  it("reports that there is no refresh token", async () => {
    const { host, ask, fail, faults } = openKept()
    faults.push(changing(({ refresh_token: _, ...tokens }) => tokens))
    await host.browser.signIn("oidc")
    const { accessToken: not } = await ask(host.browser)
    expect(await fail(host.browser, { not })).toMatchObject({ reason: "no-refresh-token" })
  })

  it("KEEP-01: replaces it once at a provider that keeps the refresh token and names no lifetime", async () => {
    const { host, ask, faults, refreshes, row, newProcess } = openKept({
      accessTokens: accessTokens({ encrypt: false }),
    })
    faults.push(withoutLifetime)
    await host.browser.signIn("oidc")
    const { refresh_token } = await row()
    const { accessToken: not } = await ask(host.browser)
    faults.push(changing(({ expires_in: _, ...tokens }) => ({ ...tokens, refresh_token })))
    const asked = [host.config, newProcess()].map((config) => ask(host.browser, { not }, config))
    const found = new Set((await Promise.all(asked)).map(({ accessToken }) => accessToken))
    expect([found.size, found.has(not), refreshes()]).toEqual([1, false, 1])
  })
})
