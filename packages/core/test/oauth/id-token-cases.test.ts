import type { OIDCUserConfig } from "@latchkey/core/types"
import { type Effects, type FaultName, fixedClock } from "@latchkey/testkit"
import { beforeEach, describe, expect, it, vi } from "vitest"
import {
  expectRefused,
  expectRestart,
  type OAuthStage,
  openStage,
  type StageOptions,
  strategies,
} from "../setup/oauth-stage.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

/** The logged error. The provider takes the profile from userinfo, so that a userinfo request would be seen. */
const token = { type: "CallbackRouteError", tokenHits: 1, page: "error" } as const

async function expectTokenRefused(stage: OAuthStage, ...faults: readonly (FaultName | Effects)[]): Promise<void> {
  const { host, idp } = stage
  idp.faults.turnOn(...faults)
  const page = await host.browser.signIn("oidc")
  expect(idp.requests.userinfo).toEqual([])
  await expectRefused(stage, page, token)
}

const openOidc = (overrides: OIDCUserConfig = {}, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.provider({ idToken: false, ...overrides }) })

const claims = (change: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Effects => ({
  idTokenClaims: change,
})

describe.each(strategies)("the claims of an ID token with %s sessions", (strategy) => {
  it.each<[string, FaultName]>([
    ["OAU-22: another issuer is rejected, even when signed with the right key", "id-token-iss-wrong"],
    ["OAU-22: a missing issuer is rejected", "id-token-iss-missing"],
    ["OAU-23: a missing sub is rejected", "id-token-sub-missing"],
    ["OAU-23: an empty sub is rejected", "id-token-sub-empty"],
    ["OAU-23: a missing iat is rejected", "id-token-iat-missing"],
    ["OAU-23: a missing exp is rejected", "id-token-exp-missing"],
    ["OAU-23: a missing aud is rejected", "id-token-aud-missing"],
    ["OAU-24: another audience is rejected", "id-token-aud-wrong"],
    ["OAU-24: a list of other audiences is rejected", "id-token-aud-list-wrong"],
    ["OAU-24: an empty list of audiences is rejected", "id-token-aud-list-empty"],
    ["OAU-25: a further audience without azp is rejected", "id-token-aud-extra"],
    ["OAU-25: a further audience with its own azp is rejected", "id-token-azp-wrong"],
    ["OAU-26: an expired token is rejected", "id-token-expired"],
    ["OAU-26: a token from a week ago is rejected", "id-token-ancient"],
    ["OAU-26: a token from ten minutes ahead is rejected", "id-token-from-the-future"],
    ["OAU-26: a token that is not valid yet is rejected", "id-token-not-yet-valid"],
    ["OAU-27: another nonce is rejected", "id-token-nonce-wrong"],
    ["OAU-27: a missing nonce is rejected", "id-token-nonce-missing"],
  ])("%s", async (_, fault) => {
    const isEmptySub = fault === "id-token-sub-empty"
    const stage = openOidc(isEmptySub ? { idToken: true } : {}, { strategy })
    if (!isEmptySub) return expectTokenRefused(stage, fault)
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    await expectRefused(stage, page, { ...token, type: "OAuthProfileParseError" })
  })

  it("OAU-27: the nonce of an earlier flow of the same browser is rejected", async () => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn("access-denied")
    await stage.host.browser.signIn("oidc")
    const stale = stage.idp.requests.authorization[0]?.params.get("nonce")
    expect(stale).toMatch(/./)
    stage.idp.faults.clear()
    stage.host.logger.clear()
    await expectTokenRefused(
      stage,
      claims((given) => ({ ...given, nonce: stale })),
    )
  })
})

describe("accepted ID tokens", () => {
  it("OAU-25: a further audience is accepted if azp is this client", async () => {
    const stage = openOidc()
    stage.idp.faults.turnOn(claims((given) => ({ ...given, aud: ["rp", "other"], azp: "rp" })))
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it.each([
    ["thirty seconds by default", {}, 29, true],
    ["and no more", {}, 40, false],
    ["sixty if the host configures it", { advanced: { clockToleranceSeconds: 60 } }, 55, true],
    ["zero if the host configures it", { advanced: { clockToleranceSeconds: 0 } }, 10, false],
  ])("OAU-26: clocks may differ by %s", async (_, options, ahead, isAccepted) => {
    using _clock = fixedClock(Math.floor(Date.now() / 1000) * 1000)
    const now = Math.floor(Date.now() / 1000)
    for (const change of [{ exp: now - ahead }, { iat: now + ahead + 1 }]) {
      const stage = openOidc(options)
      stage.idp.faults.turnOn(claims((given) => ({ ...given, ...change })))
      await stage.host.browser.signIn("oidc")
      expect((await stage.host.browser.session()) !== null).toBe(isAccepted)
    }
  })

  it.each([61, -1, Number.NaN, "30"])(
    "OAU-26: a tolerance of more than sixty seconds is rejected: %j",
    async (value) => {
      const clockToleranceSeconds = value as number // As plain JavaScript could.
      const { host } = openOidc({ advanced: { clockToleranceSeconds } })
      expect((await host.handler(new Request("https://app.test/auth/session"))).status).toBe(500)
      expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
    },
  )
})

describe.each(strategies)("the signature of an ID token with %s sessions", (strategy) => {
  it.each<[string, FaultName]>([
    ["OAU-28: an unsigned token is rejected", "id-token-unsigned"],
    ["OAU-29: HMAC with the public key's PEM is rejected", "id-token-hmac-with-public-pem"],
    ["OAU-29: HMAC with the public key's JWK is rejected", "id-token-hmac-with-public-jwk"],
    ["OAU-30: ES256 is rejected if RS256 is registered", "id-token-other-alg"],
    ["OAU-31: a changed byte is rejected (RS256)", "id-token-signature-changed"],
    ["OAU-31: a key of another party is rejected", "id-token-signed-by-a-stranger"],
    ["OAU-32: a missing key id is rejected if two keys fit", "id-token-kid-absent-among-many"],
    ["OAU-34: a key in the token's header is not used", "id-token-key-in-its-header"],
    ["OAU-34: a key URL in the token's header is not fetched", "id-token-key-address-in-its-header"],
  ])("%s", async (_, fault) => {
    await expectTokenRefused(openOidc({}, { strategy }), fault)
  })

  it.each<[string, FaultName]>([
    ["OAU-31: a changed byte is rejected (ES256)", "id-token-signature-changed"],
    ["OAU-31: a signature of zeros is rejected (ES256)", "id-token-signature-zero"],
    ["OAU-30: PS256 is rejected if ES256 is registered", "id-token-other-alg"],
  ])("%s", async (_, fault) => {
    await expectTokenRefused(openOidc({}, { strategy, idp: { signingAlg: "ES256" } }), fault)
  })
})

describe("the algorithm and key of an ID token", () => {
  const signedBy = (alg: "PS256" | "ES256"): Effects => ({
    idTokenSigning: async (_, { keys }) => {
      const { kid, privateKey } = await keys.extra(alg)
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  })

  it("OAU-28: an unsigned token is rejected even if the app registered none", async () => {
    const stage = openOidc({ client: { id_token_signed_response_alg: "none" } })
    stage.idp.faults.turnOn("id-token-unsigned")
    const page = await stage.host.browser.signIn("oidc")
    expect([page.url.pathname, await stage.host.browser.session()]).toEqual(["/auth/error", null])
    expect(stage.host.logger.errorTypes()).toEqual(["CallbackRouteError"])
  })

  it("OAU-29: RS256 is expected if neither host nor discovery names an algorithm", async () => {
    const stage = openOidc({ client: {} })
    stage.idp.faults.turnOn({ metadata: ({ id_token_signing_alg_values_supported: _, ...others }) => others })
    await expectRestart(stage)
  })

  it.each(["PS256", "ES256"] as const)("OAU-30: %s is rejected if RS256 is registered", async (alg) => {
    await expectTokenRefused(openOidc(), signedBy(alg))
  })

  it("OAU-30: ES256 is rejected if discovery announces it beside RS256 and the app registered none", async () => {
    const both = { id_token_signing_alg_values_supported: ["RS256", "ES256", "HS256", "none"] }
    const stage = openOidc({ client: {} }, { idp: { metadata: both } })
    await expectTokenRefused(stage, signedBy("ES256"))
  })

  it("OAU-30: ES256 is accepted if discovery announces no other usable algorithm", async () => {
    const one = { id_token_signing_alg_values_supported: ["ES256", "HS256", "none"] }
    await expectRestart(openOidc({ client: {} }, { idp: { signingAlg: "ES256", metadata: one } }))
  })

  it("OAU-32: a missing key id is accepted if there is one key", async () => {
    const stage = openOidc()
    stage.idp.faults.turnOn("id-token-kid-absent")
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it("OAU-33: the keys are fetched again after a rotation, also twice in a minute", async () => {
    using clock = fixedClock(Date.now())
    const stage = openOidc()
    const fetches: number[] = []
    for (let rotation = 0; rotation < 3; rotation++) {
      stage.idp.faults.turnOn(rotation === 0 ? "id-token-kid-absent" : "keys-rotated-before-signing")
      const browser = stage.host.newBrowser()
      await browser.signIn("oidc")
      expect(await browser.session()).not.toBeNull()
      fetches.push(stage.idp.requests.jwks.length)
      stage.idp.faults.clear()
      clock.advance({ seconds: 31 })
    }
    expect([fetches, stage.host.logger.errors]).toEqual([[1, 2, 3], []])
  })

  it("OAU-33: the keys are fetched again after a rotation, although the clock was set back since the last one", async () => {
    using clock = fixedClock(Date.now())
    const stage = openOidc()
    clock.advance({ seconds: 3600 })
    await expectRestart(stage)
    for (const seconds of [0, -3600]) {
      clock.advance({ seconds })
      stage.idp.rotateKeys()
      const browser = stage.host.newBrowser()
      await browser.signIn("oidc")
      expect(await browser.session()).not.toBeNull()
    }
    expect(stage.host.logger.errors).toEqual([])
  })

  it("OAU-33: a flood of unknown key ids fetches the keys once per cooldown", async () => {
    using clock = fixedClock(Date.now())
    const stage = openOidc({}, { config: { rateLimit: false } })
    await expectRestart(stage)
    stage.idp.faults.turnOn("id-token-kid-unknown")
    const flood = async () => {
      for (let attempt = 0; attempt < 20; attempt++) await stage.host.newBrowser().signIn("oidc")
      return stage.idp.requests.jwks.length
    }
    expect(await flood()).toBe(2)
    clock.advance({ seconds: 31 })
    expect(await flood()).toBe(3)
    await expectRestart(stage)
  })

  it("OAU-33: concurrent sign-ins during a rotation share one fetch, and all complete", async () => {
    const stage = openOidc({}, { config: { rateLimit: false } })
    await expectRestart(stage)
    stage.idp.rotateKeys()
    const browsers = Array.from({ length: 25 }, () => stage.host.newBrowser())
    await Promise.all(browsers.map((browser) => browser.signIn("oidc")))
    const sessions = await Promise.all(browsers.map((browser) => browser.session()))
    expect([sessions.filter((session) => session === null), stage.idp.requests.jwks.length]).toEqual([[], 2])
  })
})

describe("an issuer with many tenants", () => {
  const tenant = (name: string) => `https://idp.test/${name}/v2`
  const ofTenant = (name: string): Effects => claims((given) => ({ ...given, iss: tenant(name), tid: name }))
  const openTenants = (strategy?: StageOptions["strategy"]) =>
    openOidc(
      { idToken: true, isIssuer: (issuer, { tid }) => tid === undefined || issuer === tenant("corp") },
      { ...(strategy && { strategy }) },
    )

  it.each(strategies)(
    "OAU-35: a token of another tenant is rejected, even with the victim's email (%s)",
    async (strategy) => {
      const stage = openTenants(strategy)
      await stage.adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: new Date() })
      const before = stage.adapter.calls.length
      stage.idp.signInAs({ sub: "attacker", email: "v@corp.test", email_verified: true })
      stage.idp.faults.turnOn(ofTenant("evil"))
      const page = await stage.host.browser.signIn("oidc")
      expect([page.url.pathname, await stage.host.browser.session()]).toEqual(["/auth/error", null])
      expect(stage.host.logger.errors).toMatchObject([{ type: "CallbackRouteError", cause: { provider: "oidc" } }])
      const asked = stage.adapter.calls.slice(before).map(({ method }) => method)
      expect(asked.filter((method) => method !== "consumeOnce")).toEqual([])
    },
  )

  it("OAU-35: an allowed tenant signs in, identified by the subject and never by the email", async () => {
    const stage = openTenants()
    stage.idp.faults.turnOn(ofTenant("corp"))
    for (const email of ["first@corp.test", "second@corp.test"]) {
      stage.idp.signInAs({ sub: "one", email })
      await stage.host.newBrowser().signIn("oidc")
    }
    stage.idp.signInAs({ sub: "two", email: "first@corp.test" })
    const other = await stage.host.newBrowser().signIn("oidc")
    expect(other.url.search).toBe("?error=OAuthAccountNotLinked")
    expect(stage.adapter.calls.filter(({ method }) => method === "createUser")).toHaveLength(1)
  })
})
