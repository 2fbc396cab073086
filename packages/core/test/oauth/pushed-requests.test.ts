import type { AuthorizationEndpoint, OIDCUserConfig } from "@latchkey/core/types"
import type { ClientAuthMethod } from "@latchkey/testkit"
import { exportJWK, generateKeyPair } from "jose"
import { describe, expect, it } from "vitest"
import { expectRestart, openStage, type StageOptions } from "../setup/oauth-stage.js"
import { ask, post } from "../setup/requests.js"

const openPushing = (authorization: AuthorizationEndpoint = { pushed: true }, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.provider({ authorization }) })

const demanding = { metadata: { require_pushed_authorization_requests: true } }
const demandingClient = { clients: [{ client_id: "rp", require_pushed_authorization_requests: true }] } as const

describe("a pushed authorization request (RFC 9126)", () => {
  it("goes to the provider directly, and the browser only gets a reference", async () => {
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

  it("has the visitor's parameters, except those of the protocol", async () => {
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
    ["if the host enables it", { pushed: true }, {}, 1],
    ["to the URL that the host configures", { pushed: "https://idp.test/par" }, {}, 1],
    ["if the provider requires it", {}, demanding, 1],
    ["not by default", {}, {}, 0],
    ["not if the host disables it", { pushed: false }, demanding, 0],
  ])("is made %s", async (_, authorization, idp = {}, count) => {
    const stage = openPushing(authorization, { idp })
    await expectRestart(stage)
    expect(stage.idp.requests.pushed).toHaveLength(count)
  })

  it.each<ClientAuthMethod>(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "authenticates the client with %s",
    async (token_endpoint_auth_method) => {
      const clients = [{ client_id: "rp", client_secret: "s".repeat(40), token_endpoint_auth_method }] as const
      await expectRestart(openPushing({ pushed: true }, { idp: { clients } }))
    },
  )

  it("OAU-48: authenticates with private_key_jwt, for the issuer only", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256")
    const jwks = { keys: [await exportJWK(publicKey)] }
    const clients = [{ client_id: "rp", token_endpoint_auth_method: "private_key_jwt", jwks }] as const
    const own: OIDCUserConfig = { authorization: { pushed: true }, token: { clientPrivateKey: privateKey } }
    const stage = openStage({ idp: { clients }, provider: (idp) => idp.provider(own) })
    await expectRestart(stage)
    expect(stage.idp.requests.pushed).toHaveLength(1)
  })

  it("works with signed responses, and with form posts", async () => {
    await expectRestart(openPushing({ pushed: true, params: { response_mode: "form_post.jwt" } }))
  })

  it("a rejected request ends the sign-in before any redirect", async () => {
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
    ["an invalid URL", { pushed: "nowhere" }, {}],
    ["a word", { pushed: "yes" }, {}],
    ["no issuer to discover the endpoint", { pushed: true, url: "https://idp.test/authorize" }, { issuer: undefined }],
  ])("a configuration with %s is rejected at startup", async (_, authorization, own) => {
    const { host } = openStage({
      provider: (idp) => {
        const { issuer, ...facts } = idp.oauthProvider({ authorization })
        return { ...facts, ...("issuer" in own ? {} : { issuer: issuer ?? "" }) }
      },
    })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("oauth.authorization.pushed") }])
  })

  it("does not go to a private address from discovery", async () => {
    const stage = openPushing()
    stage.idp.faults.turnOn({
      metadata: (given) => ({ ...given, pushed_authorization_request_endpoint: "https://10.0.0.1/par" }),
    })
    await stage.host.browser.signIn("oidc")
    expect([stage.idp.requests.elsewhere, stage.host.logger.errorTypes()]).toEqual([[], ["OAuthSignInError"]])
  })
})
