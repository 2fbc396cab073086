import type { OIDCUserConfig } from "@latchkey/core/types"
import type { Effects, FaultName, IdentityProviderOptions } from "@latchkey/testkit"
import { CompactSign, exportJWK, generateKeyPair } from "jose"
import { describe, expect, it } from "vitest"
import { expectRefused, type OAuthStage, openStage } from "../setup/oauth-stage.js"
import { logoutCases } from "./logout-cases.js"
import { type Module, plans } from "./plans.js"

/** Opens a relying party with a plan's configuration, overridden by that of a module. */
type Open = (own?: OIDCUserConfig, idp?: IdentityProviderOptions) => OAuthStage
type Case = (open: Open) => Promise<void>

/** Reads the profile from userinfo, so that a test can see whether the flow continued after the token. */
const fromUserinfo: OIDCUserConfig = { idToken: false }

async function expectAccepted(stage: OAuthStage, ...faults: readonly (FaultName | Effects)[]): Promise<void> {
  stage.idp.faults.turnOn(...faults)
  const browser = stage.host.newBrowser()
  expect((await browser.signIn("oidc", { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
  expect((await browser.session())?.user?.email).toBe("ada@example.com")
  expect([stage.idp.requests.userinfo.length > 0, stage.host.logger.errors]).toEqual([true, []])
}

const accepts =
  (...faults: readonly (FaultName | Effects)[]): Case =>
  (open) =>
    expectAccepted(open(), ...faults)

/** Rejects the authorization response and sends no token request. */
const rejectsResponse =
  (fault: FaultName | Effects, type = "CallbackRouteError"): Case =>
  async (open) => {
    const stage = open()
    stage.idp.faults.turnOn(fault)
    await expectRefused(stage, await stage.host.browser.signIn("oidc"), { type, tokenHits: 0 })
  }

/** Rejects the token response and sends no userinfo request. */
const rejectsToken =
  (fault: FaultName | Effects): Case =>
  async (open) => {
    const stage = open()
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    expect(stage.idp.requests.userinfo).toEqual([])
    await expectRefused(stage, page, { type: "CallbackRouteError", tokenHits: 1 })
  }

const rejectsDiscovery: Case = async (open) => {
  const stage = open()
  stage.idp.faults.turnOn("discovery-issuer-wrong")
  const page = await stage.host.browser.signIn("oidc")
  expect([stage.idp.requests.authorization, stage.idp.requests.pushed]).toEqual([[], []])
  await expectRefused(stage, page, { type: "OAuthSignInError", tokenHits: 0 })
}

const claims = (change: (given: Readonly<Record<string, unknown>>) => Record<string, unknown>): Effects => {
  return { idTokenClaims: change }
}

const basicCases: Readonly<Record<string, Case>> = {
  "oidcc-client-test": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    expect(stage.idp.requests.authorization[0]?.params.get("scope")).toContain("openid")
  },
  "oidcc-client-test-invalid-iss": rejectsToken("id-token-iss-wrong"),
  "oidcc-client-test-missing-sub": rejectsToken("id-token-sub-missing"),
  "oidcc-client-test-invalid-aud": rejectsToken("id-token-aud-wrong"),
  "oidcc-client-test-missing-iat": rejectsToken("id-token-iat-missing"),
  "oidcc-client-test-kid-absent-single-jwks": accepts("id-token-kid-absent"),
  "oidcc-client-test-kid-absent-multiple-jwks": rejectsToken("id-token-kid-absent-among-many"),
  "oidcc-client-test-idtoken-sig-rs256": accepts(),
  "oidcc-client-test-invalid-sig-rs256": rejectsToken("id-token-signature-changed"),
  "oidcc-client-test-userinfo-invalid-sub": async (open) => {
    const stage = open()
    stage.idp.faults.turnOn("userinfo-sub-wrong")
    const page = await stage.host.browser.signIn("oidc")
    expect(stage.idp.requests.userinfo).toHaveLength(1)
    await expectRefused(stage, page, { type: "CallbackRouteError", tokenHits: 1 })
  },
  "oidcc-client-test-nonce-invalid": rejectsToken("id-token-nonce-wrong"),
  "oidcc-client-test-scope-userinfo-claims": async (open) => {
    const seen: unknown[] = []
    const stage = open({
      profile(profile) {
        seen.push(profile)
        return { id: String(profile.sub), email: String(profile.email) }
      },
    })
    await expectAccepted(stage)
    expect(stage.idp.requests.authorization[0]?.params.get("scope")).toBe("openid profile email")
    expect(seen).toMatchObject([{ sub: "ada-1815", name: "Ada Lovelace", email: "ada@example.com" }])
  },
  "oidcc-client-test-client-secret-basic": async (open) => {
    const clients = [{ client_id: "rp", token_endpoint_auth_method: "client_secret_basic" }] as const
    const stage = open({}, { clients })
    await expectAccepted(stage)
    expect(stage.idp.requests.token[0]?.headers.get("authorization")).toMatch(/^Basic /)
  },
}

const configCases: Readonly<Record<string, Case>> = {
  "oidcc-client-test-discovery-openid-config": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    expect(stage.idp.requests.discovery[0]?.url.pathname).toBe("/.well-known/openid-configuration")
  },
  "oidcc-client-test-discovery-jwks-uri-keys": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    expect(stage.idp.requests.jwks.map(({ url }) => url.pathname)).toEqual(["/jwks"])
  },
  "oidcc-client-test-discovery-issuer-mismatch": rejectsDiscovery,
  "oidcc-client-test-signing-key-rotation-just-before-signing": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    await expectAccepted(stage, "keys-rotated-before-signing")
    expect(stage.idp.requests.jwks).toHaveLength(2)
  },
  "oidcc-client-test-signing-key-rotation": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    stage.idp.rotateKeys()
    await expectAccepted(stage)
    expect(stage.idp.requests.jwks).toHaveLength(2)
  },
}

const secretClient = [{ client_id: "rp", client_secret: "0123456789abcdef0123456789abcdef" }] as const

const furtherCases: Readonly<Record<string, Case>> = {
  "oidcc-client-test-missing-aud": rejectsToken("id-token-aud-missing"),
  "oidcc-client-test-invalid-sig-hs256": (open) =>
    rejectsToken("id-token-signature-changed")(() => open({}, { signingAlg: "HS256", clients: secretClient })),
  "oidcc-client-test-invalid-sig-es256": (open) =>
    rejectsToken("id-token-signature-changed")(() => open({}, { signingAlg: "ES256" })),
  "oidcc-client-test-invalid-athash": rejectsToken(
    claims((given) => ({ ...given, at_hash: "AAAAAAAAAAAAAAAAAAAAAA" })),
  ),
  "oidcc-client-test-userinfo-bearer-header": async (open) => {
    const stage = open()
    await expectAccepted(stage)
    const [request] = stage.idp.requests.userinfo
    expect([request?.method, request?.url.search, request?.headers.get("authorization")]).toEqual([
      "GET",
      "",
      expect.stringMatching(/^Bearer \S+$/),
    ])
  },
  "oidcc-client-test-userinfo-signed": async (open) => {
    const sign: Effects = {
      response: async (response, { endpoint, keys, issuer, client: _ }) => {
        if (endpoint !== "userinfo") return response
        const { alg, kid, privateKey } = await keys.current()
        const payload = { ...(await response.json()), iss: issuer, aud: "rp" }
        const token = new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        const text = await token.setProtectedHeader({ alg, kid }).sign(privateKey)
        return new Response(text, { headers: { "content-type": "application/jwt" } })
      },
    }
    const client = { userinfo_signed_response_alg: "RS256" }
    await expectAccepted(open({ client }), sign)
    const forged = open({ client })
    forged.idp.faults.turnOn(sign, {
      response: async (response, { endpoint }) => {
        if (endpoint !== "userinfo") return response
        const text = (await response.text()).replace(/.{20}$/, "A".repeat(20))
        return new Response(text, { headers: response.headers })
      },
    })
    await forged.host.browser.signIn("oidc")
    expect(await forged.host.browser.session()).toBeNull()
  },
  "oidcc-client-test-form-post-error": async (open) => {
    const params = { response_mode: "form_post", max_age: 0, prompt: "none" }
    const stage = open({ authorization: { params } })
    stage.idp.faults.turnOn({
      authorizationAnswer: ({ params: answer, mode }) => {
        const changed = new URLSearchParams(answer)
        changed.delete("code")
        changed.set("error", "login_required")
        return { params: changed, mode }
      },
    })
    const page = await stage.host.browser.signIn("oidc")
    await expectRefused(stage, page, { type: "OAuthCallbackError", tokenHits: 0, page: "signin" })
  },
  "oidcc-client-test-ignores-unparseable-key-in-jwks": accepts({
    jwks: (keys) => [
      { kty: "AKP", alg: "ML-DSA-99", kid: "of-tomorrow", pub: "AAAA" },
      { kty: "made-up", kid: "made-up" },
      ...keys,
    ],
  }),
}

const fapiCase = (name: string) => `fapi2-security-profile-final-client-test-${name}`

const fapiCases: Readonly<Record<string, Case>> = {
  [fapiCase("happy-path")]: async (open) => {
    const stage = open()
    await expectAccepted(stage)
    const { pushed, authorization, token } = stage.idp.requests
    expect([...(authorization[0]?.params.keys() ?? [])].sort()).toEqual(["client_id", "request_uri"])
    expect(pushed[0]?.params.get("code_challenge_method")).toBe("S256")
    for (const request of [pushed[0], token[0]]) expect(request?.params.get("client_assertion")).toMatch(/./)
  },
  [fapiCase("discovery-issuer-mismatch")]: rejectsDiscovery,
  [fapiCase("invalid-iss")]: rejectsToken("id-token-iss-wrong"),
  [fapiCase("invalid-aud")]: rejectsToken("id-token-aud-wrong"),
  [fapiCase("invalid-secondary-aud")]: rejectsToken("id-token-aud-extra"),
  [fapiCase("invalid-null-alg")]: rejectsToken("id-token-unsigned"),
  [fapiCase("invalid-alternate-alg")]: rejectsToken("id-token-other-alg"),
  [fapiCase("invalid-expired-exp")]: rejectsToken("id-token-expired"),
  [fapiCase("invalid-missing-exp")]: rejectsToken("id-token-exp-missing"),
  [fapiCase("invalid-missing-aud")]: rejectsToken("id-token-aud-missing"),
  [fapiCase("invalid-missing-iss")]: rejectsToken("id-token-iss-missing"),
  [fapiCase("valid-aud-as-array")]: accepts(claims((given) => ({ ...given, aud: [given["aud"]] }))),
  [fapiCase("invalid-nonce")]: rejectsToken("id-token-nonce-wrong"),
  [fapiCase("invalid-missing-nonce")]: rejectsToken("id-token-nonce-missing"),
  [fapiCase("invalid-authorization-response-iss")]: rejectsResponse("answer-iss-wrong"),
  [fapiCase("remove-authorization-response-iss")]: rejectsResponse("answer-iss-missing"),
  [fapiCase("ensure-authorization-response-with-invalid-state-fails")]: rejectsResponse(
    "state-changed",
    "InvalidCheck",
  ),
  [fapiCase("ensure-authorization-response-with-invalid-missing-state-fails")]: rejectsResponse(
    "state-missing",
    "InvalidCheck",
  ),
  [fapiCase("token-endpoint-response-without-expires_in")]: accepts({
    tokens: ({ expires_in: _, ...tokens }) => tokens,
  }),
  [fapiCase("token-type-case-insensitivity")]: accepts({ tokens: (tokens) => ({ ...tokens, token_type: "bEARER" }) }),
  [fapiCase("ensure-jarm-without-iss-fails")]: rejectsResponse("signed-answer-iss-missing"),
  [fapiCase("ensure-jarm-with-invalid-iss-fails")]: rejectsResponse("signed-answer-iss-wrong"),
  [fapiCase("ensure-jarm-without-aud-fails")]: rejectsResponse("signed-answer-aud-missing"),
  [fapiCase("ensure-jarm-with-invalid-aud-fails")]: rejectsResponse("signed-answer-aud-wrong"),
  [fapiCase("ensure-jarm-without-exp-fails")]: rejectsResponse("signed-answer-exp-missing"),
  [fapiCase("ensure-jarm-with-expired-exp-fails")]: rejectsResponse("signed-answer-expired"),
  [fapiCase("ensure-jarm-with-invalid-sig-fails")]: rejectsResponse("signed-answer-signature-changed"),
  [fapiCase("ensure-jarm-signature-is-not-none")]: rejectsResponse("signed-answer-unsigned"),
}

const cases: Readonly<Record<string, Case>> = {
  ...basicCases,
  ...configCases,
  ...furtherCases,
  ...fapiCases,
  ...logoutCases,
}

const openPlain: Open = (own, idp) =>
  openStage({ ...(idp && { idp }), provider: (at) => at.provider({ ...fromUserinfo, ...own }) })

const openFormPost: Open = (own, idp) =>
  openPlain({ authorization: { params: { response_mode: "form_post" } }, ...own }, idp)

/** The relying party's key, registered with the provider. */
const keyOfApp = await generateKeyPair("PS256")
const jwks = { keys: [await exportJWK(keyOfApp.publicKey)] }
const fapiClient = {
  client_id: "rp",
  token_endpoint_auth_method: "private_key_jwt",
  require_pkce: true,
  require_pushed_authorization_requests: true,
  jwks,
} as const

const openFapi =
  (params: Readonly<Record<string, string>>): Open =>
  (own, idp) => {
    const authorization = { pushed: true, params }
    const token = { clientPrivateKey: keyOfApp.privateKey }
    return openPlain({ authorization, token, ...own }, { clients: [fapiClient], signingAlg: "PS256", ...idp })
  }

const opens: Readonly<Record<string, Open>> = {
  "oidcc-client-formpost-basic-certification-test-plan": openFormPost,
  "fapi2-security-profile-final-client-test-plan": openFapi({}),
  "fapi2-message-signing-final-client-test-plan": openFapi({ response_mode: "jwt" }),
}

const isRebuilt = ({ notOffered, inPart }: Module): boolean => notOffered === undefined || inPart === true

describe.each(plans)("$name", ({ name: plan, modules }) => {
  const open = opens[plan] ?? openPlain

  it.each(modules.filter(isRebuilt))("$name: $promise", async ({ name }) => {
    const run = cases[name]
    if (!run) throw new Error(`${name} is in the list of plans but has no test`)
    await run(open)
  })
})

describe("unsupported modules", () => {
  it("oidcc-client-test-idtoken-sig-none: rejects an unsigned ID token, even if the client registered `none`", async () => {
    await rejectsToken("id-token-unsigned")(openPlain)
    const registered = openPlain({ client: { id_token_signed_response_alg: "none" } })
    registered.idp.faults.turnOn("id-token-unsigned")
    await registered.host.browser.signIn("oidc")
    expect(await registered.host.browser.session()).toBeNull()
  })
})

describe("list of modules", () => {
  it("contains every test of this file, and no module twice in a plan", () => {
    const listed = plans.flatMap(({ modules }) => modules.filter(isRebuilt).map(({ name }) => name))
    expect(Object.keys(cases).filter((name) => !listed.includes(name))).toEqual([])
    for (const { modules } of plans) expect(new Set(modules.map(({ name }) => name)).size).toBe(modules.length)
  })
})
