import type { AuthorizationEndpoint, OIDCUserConfig } from "@latchkey/core/types"
import type { ClientAuthMethod } from "@latchkey/testkit"
import { exportJWK, generateKeyPair } from "jose"
import { describe, expect, it } from "vitest"
import { ask, post } from "./answers.js"
import { expectRestart, openStage, type StageOptions } from "./oauth-stage.js"

const openPushing = (authorization: AuthorizationEndpoint = { pushed: true }, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.provider({ authorization }) })

const demanding = { metadata: { require_pushed_authorization_requests: true } }
const demandingClient = { clients: [{ client_id: "rp", require_pushed_authorization_requests: true }] } as const

describe("a pushed authorization request (RFC 9126)", () => {
  it("goes to the provider itself, and the browser carries a reference to it alone", async () => {
    const stage = openPushing({ pushed: true, params: { prompt: "login" } }, { idp: demandingClient })
    await expectRestart(stage)
    const { pushed, authorization } = stage.idp.requests
    expect(Object.fromEntries(pushed[0]?.params ?? [])).toEqual({
      client_id: "rp",
      response_type: "code",
      redirect_uri: "https://app.test/auth/callback/oidc",
      scope: "openid profile email",
      prompt: "login",
      state: expect.stringMatching(/./),
      nonce: expect.stringMatching(/./),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
    expect(Object.fromEntries(authorization[0]?.params ?? [])).toEqual({
      client_id: "rp",
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:/),
    })
  })

  it("holds what the visitor asked for, but nothing that belongs to the protocol", async () => {
    const stage = openPushing()
    await post(stage.host.browser, "/auth/signin/oidc?login_hint=ada&redirect_uri=https://evil.test&request_uri=urn:x")
    const [request] = stage.idp.requests.pushed
    expect(request?.params.get("login_hint")).toBe("ada")
    expect([request?.params.get("redirect_uri"), request?.params.has("request_uri")]).toEqual([
      "https://app.test/auth/callback/oidc",
      false,
    ])
  })

  it.each<[string, AuthorizationEndpoint, StageOptions["idp"], number]>([
    ["as the host says", { pushed: true }, {}, 1],
    ["to the address that the host says", { pushed: "https://idp.test/par" }, {}, 1],
    ["where the provider requires it", {}, demanding, 1],
    ["not without a reason", {}, {}, 0],
    ["not where the host says so", { pushed: false }, demanding, 0],
  ])("is made %s", async (_, authorization, idp = {}, count) => {
    const stage = openPushing(authorization, { idp })
    await expectRestart(stage)
    expect(stage.idp.requests.pushed).toHaveLength(count)
  })

  it.each<ClientAuthMethod>(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "proves by %s who asks",
    async (token_endpoint_auth_method) => {
      const clients = [{ client_id: "rp", client_secret: "s".repeat(40), token_endpoint_auth_method }] as const
      await expectRestart(openPushing({ pushed: true }, { idp: { clients } }))
    },
  )

  it("OAU-48: proves by private_key_jwt who asks, to the issuer alone", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256")
    const jwks = { keys: [await exportJWK(publicKey)] }
    const clients = [{ client_id: "rp", token_endpoint_auth_method: "private_key_jwt", jwks }] as const
    const own: OIDCUserConfig = { authorization: { pushed: true }, token: { clientPrivateKey: privateKey } }
    const stage = openStage({ idp: { clients }, provider: (idp) => idp.provider(own) })
    await expectRestart(stage)
    expect(stage.idp.requests.pushed).toHaveLength(1)
  })

  it("works with signed answers, and by a form", async () => {
    await expectRestart(openPushing({ pushed: true, params: { response_mode: "form_post.jwt" } }))
  })

  it("that is refused ends the sign-in before the visitor is sent anywhere", async () => {
    const clients = [{ client_id: "rp", token_endpoint_auth_method: "client_secret_post" }] as const
    const client = { token_endpoint_auth_method: "client_secret_basic" }
    const stage = openStage({
      idp: { clients },
      provider: (idp) => idp.provider({ client, authorization: { pushed: true } }),
    })
    const page = await stage.host.browser.signIn("oidc")
    expect([page.url.search, stage.idp.requests.authorization]).toEqual(["?error=OAuthSignin", []])
    expect(stage.host.logger.errors).toMatchObject([
      { type: "OAuthSignInError", cause: { provider: "oidc", err: { status: 401 } } },
    ])
  })

  it.each([
    ["an address that is none", { pushed: "nowhere" }, {}],
    ["a word", { pushed: "yes" }, {}],
    ["no issuer to ask for the address", { pushed: true, url: "https://idp.test/authorize" }, { issuer: undefined }],
  ])("with %s is refused at start", async (_, authorization, own) => {
    const { host } = openStage({
      provider: (idp) => {
        const { issuer, ...facts } = idp.oauthProvider({ authorization })
        return { ...facts, ...("issuer" in own ? {} : { issuer: issuer ?? "" }) }
      },
    })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("oauth.authorization.pushed") }])
  })

  it("goes to no private address that discovery names", async () => {
    const stage = openPushing()
    stage.idp.faults.turnOn({
      metadata: (given) => ({ ...given, pushed_authorization_request_endpoint: "https://10.0.0.1/par" }),
    })
    await stage.host.browser.signIn("oidc")
    expect([stage.idp.requests.elsewhere, stage.host.logger.errorTypes()]).toEqual([[], ["OAuthSignInError"]])
  })
})
