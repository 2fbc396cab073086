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
} from "./oauth-stage.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

/** The log's error; that userinfo is not asked is seen by a provider whose profile would come from there. */
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
    ["OAU-22: another issuer is refused, though signed by the right key", "id-token-iss-wrong"],
    ["OAU-22: no issuer is refused", "id-token-iss-missing"],
    ["OAU-23: a missing sub is refused", "id-token-sub-missing"],
    ["OAU-23: an empty sub is refused", "id-token-sub-empty"],
    ["OAU-23: a missing iat is refused", "id-token-iat-missing"],
    ["OAU-23: a missing exp is refused", "id-token-exp-missing"],
    ["OAU-23: a missing aud is refused", "id-token-aud-missing"],
    ["OAU-24: another audience is refused", "id-token-aud-wrong"],
    ["OAU-24: a list of other audiences is refused", "id-token-aud-list-wrong"],
    ["OAU-24: an empty list of audiences is refused", "id-token-aud-list-empty"],
    ["OAU-25: a further audience without azp is refused", "id-token-aud-extra"],
    ["OAU-25: a further audience with its own azp is refused", "id-token-azp-wrong"],
    ["OAU-26: an expired token is refused", "id-token-expired"],
    ["OAU-26: a token of a week ago is refused", "id-token-ancient"],
    ["OAU-26: a token of ten minutes ahead is refused", "id-token-from-the-future"],
    ["OAU-26: a token that is not valid yet is refused", "id-token-not-yet-valid"],
    ["OAU-27: another nonce is refused", "id-token-nonce-wrong"],
    ["OAU-27: a missing nonce is refused", "id-token-nonce-missing"],
  ])("%s", async (_, fault) => {
    const isEmptySub = fault === "id-token-sub-empty"
    const stage = openOidc(isEmptySub ? { idToken: true } : {}, { strategy })
    if (!isEmptySub) return expectTokenRefused(stage, fault)
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    await expectRefused(stage, page, { ...token, type: "OAuthProfileParseError" })
  })

  it("OAU-27: the nonce of an earlier flow of the same browser is refused", async () => {
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

describe("what is accepted of an ID token", () => {
  it("OAU-25: a further audience, where azp says that this app asked for the token", async () => {
    const stage = openOidc()
    stage.idp.faults.turnOn(claims((given) => ({ ...given, aud: ["rp", "other"], azp: "rp" })))
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it.each([
    ["thirty seconds as usual", {}, 29, true],
    ["and no more", {}, 40, false],
    ["sixty where the host says so", { clockToleranceSeconds: 60 }, 55, true],
    ["none where the host says so", { clockToleranceSeconds: 0 }, 10, false],
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

  it.each([61, -1, Number.NaN, "30"])("OAU-26: no host makes it more than sixty: %j", async (clockToleranceSeconds) => {
    const { host } = openOidc({ clockToleranceSeconds: clockToleranceSeconds as number }) // As a host without types could.
    expect((await host.handler(new Request("https://app.test/auth/session"))).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
  })
})

describe.each(strategies)("the signature of an ID token with %s sessions", (strategy) => {
  it.each<[string, FaultName]>([
    ["OAU-28: an unsigned token is refused", "id-token-unsigned"],
    ["OAU-29: HMAC with the public key's PEM is refused", "id-token-hmac-with-public-pem"],
    ["OAU-29: HMAC with the public key's JWK is refused", "id-token-hmac-with-public-jwk"],
    ["OAU-30: ES256 is refused where RS256 is registered", "id-token-other-alg"],
    ["OAU-31: a changed byte is refused (RS256)", "id-token-signature-changed"],
    ["OAU-31: a stranger's key is refused", "id-token-signed-by-a-stranger"],
    ["OAU-32: no key id among two suitable keys is refused", "id-token-kid-absent-among-many"],
    ["OAU-34: a key in the token's header is not used", "id-token-key-in-its-header"],
    ["OAU-34: an address of keys in the token's header is not asked", "id-token-key-address-in-its-header"],
  ])("%s", async (_, fault) => {
    await expectTokenRefused(openOidc({}, { strategy }), fault)
  })

  it.each<[string, FaultName]>([
    ["OAU-31: a changed byte is refused (ES256)", "id-token-signature-changed"],
    ["OAU-31: a signature of zeros is refused (ES256)", "id-token-signature-zero"],
    ["OAU-30: PS256 is refused where ES256 is registered", "id-token-other-alg"],
  ])("%s", async (_, fault) => {
    await expectTokenRefused(openOidc({}, { strategy, idp: { signingAlg: "ES256" } }), fault)
  })
})

describe("which algorithm and which key", () => {
  const signedBy = (alg: "PS256" | "ES256"): Effects => ({
    idTokenSigning: async (_, { keys }) => {
      const { kid, privateKey } = await keys.extra(alg)
      return { header: { alg, kid, typ: "JWT" }, key: privateKey }
    },
  })

  it("OAU-28: an unsigned token is refused also where the host registered none", async () => {
    const stage = openOidc({ client: { id_token_signed_response_alg: "none" } })
    stage.idp.faults.turnOn("id-token-unsigned")
    const page = await stage.host.browser.signIn("oidc")
    expect([page.url.pathname, await stage.host.browser.session()]).toEqual(["/auth/error", null])
    expect(stage.host.logger.errorTypes()).toEqual(["CallbackRouteError"])
  })

  it("OAU-29: RS256 is expected where neither host nor discovery names an algorithm", async () => {
    const stage = openOidc({ client: {} })
    stage.idp.faults.turnOn({ metadata: ({ id_token_signing_alg_values_supported: _, ...others }) => others })
    await expectRestart(stage)
  })

  it.each(["PS256", "ES256"] as const)("OAU-30: %s is refused where RS256 is registered", async (alg) => {
    await expectTokenRefused(openOidc(), signedBy(alg))
  })

  it("OAU-30: ES256 is refused where discovery announces it beside RS256, and the host registered nothing", async () => {
    const both = { id_token_signing_alg_values_supported: ["RS256", "ES256", "HS256", "none"] }
    const stage = openOidc({ client: {} }, { idp: { metadata: both } })
    await expectTokenRefused(stage, signedBy("ES256"))
  })

  it("OAU-30: ES256 is accepted where discovery announces nothing else that could be verified", async () => {
    const one = { id_token_signing_alg_values_supported: ["ES256", "HS256", "none"] }
    await expectRestart(openOidc({ client: {} }, { idp: { signingAlg: "ES256", metadata: one } }))
  })

  it("OAU-32: no key id is accepted where there is one key", async () => {
    const stage = openOidc()
    stage.idp.faults.turnOn("id-token-kid-absent")
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it("OAU-33: after a rotation just before signing the keys are fetched once more, twice in a minute too", async () => {
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

  it("OAU-33: a flood of unknown key ids fetches the keys once in the cool-down", async () => {
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

  it("OAU-33: sign-ins in flight while the key changes share one fetch, and all complete", async () => {
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
    "OAU-35: a token of another tenant is refused, whatever address it names (%s)",
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

  it("OAU-35: a tenant that is allowed signs in, and is known by its subject, never by its address", async () => {
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
