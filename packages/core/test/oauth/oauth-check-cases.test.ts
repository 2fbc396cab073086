import type { OidcCheck } from "@latchkey/core/types"
import { fakeIdentityProvider, fixedClock, memoryAdapter } from "@latchkey/testkit"
import { base64url } from "jose"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { checkCookies, expectRefused, expectRestart, openStage, sendBack, strategies } from "../setup/oauth-stage.js"
import { get, post } from "../setup/requests.js"
import { expectQuiet, pathOf, sessionCookie } from "../setup/sign-ins.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

const check = { type: "InvalidCheck", tokenHits: 0, page: "error" } as const

const kinds = ["oidc", "oauth"] as const
const providerOf = (kind: (typeof kinds)[number], checks?: readonly OidcCheck[]) => {
  return (idp: ReturnType<typeof fakeIdentityProvider>) =>
    kind === "oidc"
      ? idp.provider(checks && { checks })
      : idp.oauthProvider(checks && { checks: checks.filter((name) => name !== "nonce") })
}

describe.each(strategies)("the checks of a flow with %s sessions", (strategy) => {
  it.each(kinds)(
    "OAU-01: a callback without state is rejected although the state cookie is present (%s)",
    async (kind) => {
      const stage = openStage({ strategy, provider: providerOf(kind) })
      const back = await sendBack(stage)
      back.searchParams.delete("state")
      expect(checkCookies(stage.host).some((name) => name.includes(".state."))).toBe(true)
      await expectRefused(stage, await stage.host.browser.open(back), check)
    },
  )

  it.each(["state-changed", "state-duplicated"] as const)("OAU-02: %s is rejected", async (fault) => {
    const stage = openStage({ strategy, provider: providerOf("oauth") })
    stage.idp.faults.turnOn(fault)
    await expectRefused(stage, await stage.host.browser.signIn("oauth"), check)
  })

  it("OAU-03: the response of one provider is rejected at another one", async () => {
    const other = fakeIdentityProvider({ issuer: "https://idp2.test" })
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      session: { strategy },
      network: { [other.origin]: other.handler },
      providers: ({ idp }) => [idp.provider(), other.provider({ id: "oidc2" })],
    })
    const back = await sendBack({ host, idp: other, adapter, id: "oidc2" })
    back.pathname = "/auth/callback/oidc"
    const page = await host.browser.open(back)
    expect(other.requests.token).toEqual([])
    await expectRefused({ host, idp: host.idp, adapter, id: "oidc" }, page, check)
  })

  it.each([
    ["issuer", { issuer: "https://idp.test/tenant-b" }],
    ["client id", { clientId: "rp-b" }],
  ])("OAU-03: the response is rejected if the provider id now has another %s", async (_, tenant) => {
    const first = openStage({ strategy })
    const back = await sendBack(first)
    const second = openHost({
      secret: first.host.config.secret ?? "",
      idp: first.idp,
      providers: [{ ...first.idp.provider(), ...tenant }],
    })
    for (const { name, value } of first.host.browser.cookies.list()) second.browser.cookies.set(name, value)
    expect(pathOf((await get(second.browser, back.href)).location)).toBe("/auth/error?error=Configuration")
    expect([second.logger.errorTypes(), first.idp.requests.token]).toEqual([["InvalidCheck"], []])
    await expectQuiet(second, second.browser)
  })

  it("OAU-04: a replayed callback is rejected by the service itself", async () => {
    const stage = openStage({ strategy })
    const { browser, logger } = stage.host
    const back = await sendBack(stage)
    const copied = browser.cookies.list()
    expect((await browser.open(back)).url.pathname).toBe("/in")
    await browser.signOut()
    for (const { name, value } of copied) browser.cookies.set(name, value)
    const page = await browser.open(back)
    expect([page.url.pathname, logger.errorTypes()]).toEqual(["/auth/error", ["InvalidCheck"]])
    expect([stage.idp.requests.token.length, browser.cookies.get(sessionCookie)]).toEqual([1, undefined])
    expect(stage.host.events.names().filter((name) => name === "signIn")).toHaveLength(1)
    await expectRestart(stage)
  })

  it("OAU-05: a state from sixteen minutes ago is rejected, with or without its cookies", async () => {
    using clock = fixedClock()
    const stage = openStage({ strategy })
    const { browser } = stage.host
    const back = await sendBack(stage)
    const copied = browser.cookies.list()
    clock.advance({ minutes: 16 })
    expect(checkCookies(stage.host)).toEqual([])
    for (const { name, value } of copied) browser.cookies.set(name, value, { expiresAt: null })
    const answer = await get(browser, back.href)
    expect(answer.status).toBe(302)
    await expectRefused(stage, { url: new URL(answer.location ?? "") }, check)
  })

  it.each([
    ["the older one first", [0, 1]],
    ["the newer one first", [1, 0]],
  ])("OAU-06: two tabs complete their flows, %s, each with its own code verifier", async (_, order) => {
    const stage = openStage({ strategy })
    const returns = [await sendBack(stage, "/a"), await sendBack(stage, "/b")]
    for (const tab of order) {
      const { location } = await get(stage.host.browser, returns[tab]?.href ?? "")
      expect(location).toBe(`https://app.test/${"ab"[tab]}`)
    }
    const verifiers = stage.idp.requests.token.map(({ params }) => params.get("code_verifier"))
    expect([new Set(verifiers).size, stage.host.logger.errors, checkCookies(stage.host)]).toEqual([2, [], []])
  })

  it.each(kinds)("OAU-07: sends no token request without the verifier's cookie (%s)", async (kind) => {
    const stage = openStage({ strategy, provider: providerOf(kind, ["pkce"]) })
    const { browser } = stage.host
    const back = await sendBack(stage)
    for (const name of checkCookies(stage.host)) if (name.includes("pkce")) browser.cookies.delete(name)
    await expectRefused(stage, await browser.open(back), check)
  })
})

describe("the code challenge", () => {
  it("OAU-08: is the SHA-256 of a new verifier of 43 to 128 unreserved characters, never the verifier itself", async () => {
    const stage = openStage()
    for (let attempt = 0; attempt < 3; attempt++) await stage.host.newBrowser().signIn("oidc")
    const asked = stage.idp.requests.authorization.map(({ params }) => params)
    const verifiers = stage.idp.requests.token.map(({ params }) => params.get("code_verifier") ?? "")
    expect(asked.map((params) => params.get("code_challenge_method"))).toEqual(["S256", "S256", "S256"])
    for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/)
    expect(new Set(verifiers).size).toBe(3)
    const hashes = await Promise.all(
      verifiers.map(async (verifier) => {
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
        return base64url.encode(new Uint8Array(digest))
      }),
    )
    expect(asked.map((params) => params.get("code_challenge"))).toEqual(hashes)
  })

  it("OAU-08: is S256 even if the visitor requests another method", async () => {
    const { browser } = openStage().host
    const { location } = await post(browser, "/auth/signin/oidc?code_challenge_method=plain&code_challenge=x")
    expect(new URL(location ?? "").searchParams.getAll("code_challenge_method")).toEqual(["S256"])
  })

  it("OAU-09: is always sent, with state and nonce, even if discovery does not announce PKCE", async () => {
    const stage = openStage()
    const provider = stage.host.config.providers[0]
    const before = structuredClone({ checks: Object(provider).checks })
    stage.idp.faults.turnOn("discovery-without-pkce")
    for (let round = 0; round < 3; round++) {
      const browser = stage.host.newBrowser()
      expect((await browser.signIn("oidc", { callbackUrl: "/in" })).url.pathname).toBe("/in")
      const params = stage.idp.requests.authorization[round]?.params
      expect(["code_challenge", "state", "nonce"].filter((name) => params?.has(name))).toHaveLength(3)
    }
    expect({ checks: Object(provider).checks }).toEqual(before)
  })
})

describe("checks that are turned off", () => {
  it("OAU-10: checks are turned off only by the word none, with one warning in the log", async () => {
    const stage = openStage({ provider: providerOf("oauth", ["none"]) })
    await stage.host.browser.signIn("oauth")
    await stage.host.newBrowser().signIn("oauth")
    expect(stage.host.logger.warnings.filter((code) => code === "checks-none")).toEqual(["checks-none"])
    expect(stage.idp.requests.authorization[0]?.params.has("state")).toBe(false)
  })

  it.each(kinds)("OAU-10: an empty list does not turn them off: state is sent and compared (%s)", async (kind) => {
    const stage = openStage({ provider: providerOf(kind, []) })
    stage.idp.faults.turnOn("state-changed")
    await expectRefused(stage, await stage.host.browser.signIn(stage.id), check)
    expect(stage.host.logger.warnings).not.toContain("checks-none")
  })

  it.each(["plain", "", "None", 7])("OAU-10: an unknown check is rejected at startup: %j", async (word) => {
    const checks = [word] as unknown as OidcCheck[] // as: possible in plain JavaScript.
    const { host } = openStage({ provider: (idp) => idp.provider({ checks }) })
    expect((await get(host.browser, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
  })
})
