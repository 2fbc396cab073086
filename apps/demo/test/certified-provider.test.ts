import { Auth, type AuthConfig, customFetch } from "@latchkey/core"
import type { OIDCConfig } from "@latchkey/core/types"
import { afterEach, describe, expect, it } from "vitest"
import {
  type CertifiedProvider,
  type CertifiedProviderOptions,
  type SigningAlgorithm,
  startCertifiedProvider,
} from "./certified-provider.js"
import { createVisitor, type Visitor } from "./visitor.js"

const opened: CertifiedProvider[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((provider) => provider.close()))
})

interface Stage {
  readonly provider: CertifiedProvider
  newVisitor(): Visitor
  /** Paths that the app requested from the provider, in order. */
  readonly requested: readonly string[]
  readonly errors: readonly Error[]
}

async function open(options: CertifiedProviderOptions, own: Partial<OIDCConfig> = {}): Promise<Stage> {
  const provider = await startCertifiedProvider(options)
  opened.push(provider)
  const requested: string[] = []
  const errors: Error[] = []
  const config: AuthConfig = {
    basePath: "/auth",
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    logger: { error: (error) => errors.push(error), warn: () => {} },
    providers: [
      {
        id: "certified",
        name: "Certified provider",
        type: "oidc",
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        checks: ["pkce", "state", "nonce"],
        [customFetch]: (input, init) => {
          requested.push(new URL(String(input)).pathname)
          return fetch(input, init)
        },
        ...own,
      },
    ],
  }
  return {
    provider,
    requested,
    errors,
    newVisitor: () => createVisitor("https://app.test", (request) => Auth(request, config)),
  }
}

async function expectSignedIn({ newVisitor, errors }: Stage): Promise<Visitor> {
  const visitor = newVisitor()
  const end = await visitor.signIn("certified", "/in")
  expect([end.href, errors]).toEqual(["https://app.test/in", []])
  expect(await visitor.ask("/auth/session")).toMatchObject({ user: { name: "Lin", email: "lin@id.example" } })
  return visitor
}

const callbackOf = ({ visited }: Visitor) => visited.find(({ url }) => url.pathname === "/auth/callback/certified")

describe("signing in with the certified oidc-provider over http on localhost", () => {
  it("completes the code flow with PKCE, and receives iss in the callback", async () => {
    const stage = await open({})
    const visitor = await expectSignedIn(stage)
    const callback = callbackOf(visitor)
    expect(callback?.url.searchParams.get("iss")).toBe(stage.provider.issuer)
    expect(stage.requested).toEqual(["/.well-known/openid-configuration", "/token", "/jwks"])
  })

  it.each<SigningAlgorithm>(["RS256", "ES256", "PS256", "EdDSA"])("verifies ID tokens signed with %s", async (alg) => {
    const client = { id_token_signed_response_alg: alg }
    await expectSignedIn(await open({ signingAlgorithm: alg }, { client }))
  })

  it.each(["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const)(
    "authenticates the client with %s",
    async (method) => {
      const client = { token_endpoint_auth_method: method }
      await expectSignedIn(await open({ client }, { client }))
    },
  )

  it.each([
    ["ES256", { name: "ECDSA", namedCurve: "P-256" }],
    ["Ed25519", { name: "Ed25519" }],
  ] as const)("OAU-48: authenticates the client with private_key_jwt (%s)", async (alg, algorithm) => {
    const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])
    if (!("privateKey" in pair)) throw new TypeError("Expected a key pair")
    const publicKey = {
      ...(await crypto.subtle.exportKey("jwk", pair.publicKey)),
      kid: "app",
      alg,
      key_ops: ["verify"],
    }
    const method = { token_endpoint_auth_method: "private_key_jwt" } as const
    const jwks = { keys: [publicKey] } as never // Node's and the browser's JWK types differ in their optional fields.
    const token = { clientPrivateKey: { key: pair.privateKey, kid: "app" } }
    const stage = await open({ client: { ...method, jwks } }, { client: method, token })
    await expectSignedIn(stage)
  })

  it("rejects a wrong client secret", async () => {
    const stage = await open({}, { clientSecret: "another client secret of the same length" })
    const visitor = stage.newVisitor()
    const end = await visitor.signIn("certified", "/in")
    expect([end.pathname, await visitor.ask("/auth/session")]).toEqual(["/auth/error", null])
    expect(stage.errors).toMatchObject([{ type: "CallbackRouteError", cause: { err: { status: 401 } } }])
  })

  it("accepts the callback as a form post", async () => {
    const stage = await open({}, { authorization: { params: { response_mode: "form_post" } } })
    expect(callbackOf(await expectSignedIn(stage))).toMatchObject({ method: "POST" })
  })

  it("pushes the authorization request when the provider requires it, without configuration", async () => {
    const stage = await open({ requiresPush: true })
    const visitor = await expectSignedIn(stage)
    const sent = visitor.visited.find(({ url }) => url.pathname === "/auth" && url.origin === stage.provider.issuer)
    expect([...(sent?.url.searchParams.keys() ?? [])].sort()).toEqual(["client_id", "request_uri"])
    expect(stage.requested).toContain("/request")
  })

  it("shows an error when pushing is turned off but required by the provider", async () => {
    const stage = await open({ requiresPush: true }, { authorization: { pushed: false } })
    const visitor = stage.newVisitor()
    const end = await visitor.signIn("certified", "/in")
    expect([end.search, await visitor.ask("/auth/session")]).toEqual(["?error=OAuthCallbackError", null])
  })

  it.each(["jwt", "query.jwt", "form_post.jwt"])(
    "verifies signed authorization responses (%s)",
    async (response_mode) => {
      const stage = await open({}, { authorization: { params: { response_mode } } })
      const callback = callbackOf(await expectSignedIn(stage))
      expect(callback?.method).toBe(response_mode.startsWith("form_post") ? "POST" : "GET")
      expect([...(callback?.url.searchParams.keys() ?? [])]).toEqual(callback?.method === "GET" ? ["response"] : [])
    },
  )

  it.each<SigningAlgorithm>(["ES256", "PS256", "EdDSA"])(
    "verifies authorization responses signed with %s after pushed requests",
    async (alg) => {
      const client = { id_token_signed_response_alg: alg, authorization_signed_response_alg: alg }
      const authorization = { pushed: true, params: { response_mode: "jwt" } }
      await expectSignedIn(await open({ signingAlgorithm: alg, requiresPush: true }, { client, authorization }))
    },
  )

  it("reads the profile from userinfo", async () => {
    const stage = await open({}, { idToken: false })
    await expectSignedIn(stage)
    expect(stage.requested).toContain("/me")
  })

  it("OAU-33: completes concurrent sign-ins while keys rotate, with one more key request", async () => {
    const stage = await open({})
    await expectSignedIn(stage)
    const visitors = Array.from({ length: 24 }, () => stage.newVisitor())
    const ends = visitors.map(async (visitor, index) => {
      if (index === 8) stage.provider.rotateKeys()
      return (await visitor.signIn("certified", "/in")).pathname
    })
    const places = await Promise.all(ends)
    const sessions = await Promise.all(visitors.map((visitor) => visitor.ask("/auth/session")))
    expect([stage.errors, new Set(places), sessions.filter((session) => session === null)]).toEqual([
      [],
      new Set(["/in"]),
      [],
    ])
    expect(stage.requested.filter((path) => path === "/jwks")).toHaveLength(2)
  })
})
