import { exportJWK, generateKeyPair } from "jose"
import * as oauth from "oauth4webapi"
import { describe, expect, it, vi } from "vitest"
import { createBrowser } from "../browser/browser.js"
import type { Client } from "./client.js"
import type { FaultStage } from "./faults/fault.js"
import { type FaultName, faultNames, faults } from "./faults/faults.js"
import { type FakeIdentityProvider, fakeIdentityProvider, type IdentityProviderOptions } from "./identity-provider.js"

const redirectUri = "https://app.test/auth/callback/oidc"

interface AppOptions {
  readonly auth?: oauth.ClientAuth
  readonly client?: Partial<oauth.Client>
  readonly scope?: string
  readonly mode?: "query" | "form_post"
  readonly signal?: AbortSignal
}

/** A client with every check of an independent client library. */
function createApp(idp: FakeIdentityProvider, options: AppOptions = {}) {
  const registered = idp.clients[0]
  const client: oauth.Client = { client_id: registered?.client_id ?? "", ...options.client }
  const auth = options.auth ?? oauth.ClientSecretBasic(registered?.client_secret ?? "")
  const http = {
    // as: the library passes `body: undefined`, which `fetch` accepts but its type does not
    [oauth.customFetch]: (url: string, init: object) => idp.fetch(url, init as RequestInit),
    ...(options.signal ? { signal: options.signal } : {}),
  }
  const issuer = new URL(idp.issuer)

  async function discover() {
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  }

  async function authorize(as: oauth.AuthorizationServer, extra: Readonly<Record<string, string>> = {}) {
    const flow = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    }
    if (as.authorization_endpoint === undefined)
      throw new oauth.OperationProcessingError("There is no authorization endpoint")
    const url = new URL(as.authorization_endpoint)
    const params = {
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: options.scope ?? "openid profile email",
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
      ...(options.mode === "form_post" ? { response_mode: "form_post" } : {}),
      ...extra,
    }
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
    return { ...flow, answer: await visit(url) }
  }

  /** Follows the browser to the provider and back, and returns the authorization response. */
  async function visit(url: URL): Promise<URLSearchParams | URL> {
    const arrivals: Request[] = []
    const handler = async (request: Request) => {
      arrivals.push(request.clone())
      return new Response("welcome back")
    }
    await createBrowser({ handler, network: { [idp.origin]: idp.handler } }).open(url)
    const arrival = arrivals.at(-1)
    if (!arrival) throw new Error("The provider did not send the browser back")
    if (options.mode !== "form_post") return new URL(arrival.url)
    return new URLSearchParams(arrival.method === "POST" ? await arrival.text() : "")
  }

  async function exchange(
    as: oauth.AuthorizationServer,
    flow: Awaited<ReturnType<typeof authorize>>,
    uri = redirectUri,
  ) {
    const params = oauth.validateAuthResponse(as, client, flow.answer, flow.state)
    const response = await oauth.authorizationCodeGrantRequest(as, client, auth, params, uri, flow.verifier, http)
    const expected = options.scope === "profile" ? {} : { expectedNonce: flow.nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, expected)
    if (tokens.id_token !== undefined) await oauth.validateApplicationLevelSignature(as, response, http)
    return tokens
  }

  async function readUser(as: oauth.AuthorizationServer, tokens: oauth.TokenEndpointResponse) {
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? oauth.skipSubjectCheck
    const response = await oauth.userInfoRequest(as, client, tokens.access_token, http)
    return oauth.processUserInfoResponse(as, client, sub, response)
  }

  async function signIn() {
    const as = await discover()
    const tokens = await exchange(as, await authorize(as))
    return { tokens, user: await readUser(as, tokens) }
  }

  return { discover, authorize, exchange, readUser, signIn, client, auth, http }
}

async function signInWith(client: Client, options: AppOptions) {
  const idp = fakeIdentityProvider({ clients: [client] })
  return (await createApp(idp, options).signIn()).user.sub
}

describe("an independent client at the fake identity provider", () => {
  it.each(["RS256", "PS256", "ES256"] as const)("signs in with %s", async (signingAlg) => {
    const idp = fakeIdentityProvider({ signingAlg })
    const { tokens, user } = await createApp(idp, { client: { id_token_signed_response_alg: signingAlg } }).signIn()
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: "ada-1815", email: "ada@example.com" })
    expect(user).toMatchObject({ sub: "ada-1815", name: "Ada Lovelace", email_verified: true })
    expect(idp.requests.token).toHaveLength(1)
    expect(idp.requests.elsewhere).toEqual([])
  })

  it("receives a form_post response through the browser", async () => {
    const { user } = await createApp(fakeIdentityProvider(), { mode: "form_post" }).signIn()
    expect(user.sub).toBe("ada-1815")
  })

  it("supports an issuer with a path", async () => {
    const { user } = await createApp(fakeIdentityProvider({ issuer: "https://idp.test/tenants/one" })).signIn()
    expect(user.sub).toBe("ada-1815")
  })

  it("signs in the user of signInAs", async () => {
    const idp = fakeIdentityProvider()
    idp.signInAs({ sub: "grace", email: "grace@example.com" })
    expect((await createApp(idp).signIn()).user).toEqual({ sub: "grace", email: "grace@example.com" })
  })

  it("gets only the claims of its scopes", async () => {
    expect((await createApp(fakeIdentityProvider(), { scope: "openid" }).signIn()).user).toEqual({ sub: "ada-1815" })
  })

  it("gets no ID token without openid", async () => {
    const { tokens } = await createApp(fakeIdentityProvider(), { scope: "profile" }).signIn()
    expect(tokens.id_token).toBeUndefined()
  })

  it("can use each refresh token once", async () => {
    const idp = fakeIdentityProvider()
    const app = createApp(idp)
    const { tokens } = await app.signIn()
    const as = await app.discover()
    const refresh = async () => {
      const response = await oauth.refreshTokenGrantRequest(
        as,
        app.client,
        app.auth,
        tokens.refresh_token ?? "",
        app.http,
      )
      return oauth.processRefreshTokenResponse(as, app.client, response)
    }
    expect((await refresh()).access_token).not.toBe(tokens.access_token)
    await expect(refresh()).rejects.toMatchObject({ error: "invalid_grant" })
  })
})

describe("client authentication", () => {
  const secret = "p%&+é and more than thirty-two bytes of it"

  it("decodes both parts of the Basic header", async () => {
    expect(
      await signInWith({ client_id: "a:b c", client_secret: secret }, { auth: oauth.ClientSecretBasic(secret) }),
    ).toBe("ada-1815")
  })

  it.each([
    ["client_secret_post", oauth.ClientSecretPost(secret)],
    ["client_secret_jwt", oauth.ClientSecretJwt(secret)],
    ["none", oauth.None()],
  ] as const)("accepts %s", async (token_endpoint_auth_method, auth) => {
    expect(await signInWith({ client_id: "rp", client_secret: secret, token_endpoint_auth_method }, { auth })).toBe(
      "ada-1815",
    )
  })

  it("accepts private_key_jwt", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "app-1" }] }
    const auth = oauth.PrivateKeyJwt({ key: privateKey, kid: "app-1" })
    expect(await signInWith({ client_id: "rp", token_endpoint_auth_method: "private_key_jwt", jwks }, { auth })).toBe(
      "ada-1815",
    )
  })

  it.each([
    ["a wrong secret", oauth.ClientSecretBasic("wrong")],
    ["a method other than the registered one", oauth.ClientSecretPost(secret)],
    ["no secret", oauth.None()],
    ["an assertion", oauth.ClientSecretJwt(secret)],
  ])("rejects %s", async (_, auth) => {
    await expect(signInWith({ client_id: "rp", client_secret: secret }, { auth })).rejects.toMatchObject({
      status: 401,
    })
  })

  it("rejects an assertion for another audience", async () => {
    const auth: oauth.ClientAuth = (as, client, body, headers) =>
      oauth.ClientSecretJwt(secret)({ ...as, issuer: "https://evil.test" }, client, body, headers)
    const client = { client_id: "rp", client_secret: secret, token_endpoint_auth_method: "client_secret_jwt" } as const
    await expect(signInWith(client, { auth })).rejects.toMatchObject({ status: 401 })
  })
})

describe("errors of the provider", () => {
  const strict: IdentityProviderOptions = {
    clients: [{ client_id: "rp", redirect_uris: [redirectUri], require_pkce: true }],
  }

  it("shows an error page for an unregistered redirect URI", async () => {
    const idp = fakeIdentityProvider(strict)
    const browser = createBrowser({ handler: async () => new Response("app"), network: { [idp.origin]: idp.handler } })
    const query = new URLSearchParams({ client_id: "rp", response_type: "code", redirect_uri: `${redirectUri}/x` })
    const page = await browser.open(`${idp.issuer}/authorize?${query}`)
    expect([page.url.origin, page.status]).toEqual([idp.origin, 400])
  })

  it.each([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ request: "jwt" }, "request_not_supported"],
    [{ request_uri: "https://evil.test" }, "request_uri_not_supported"],
  ])("responds to %j with %s", async (extra, error) => {
    const app = createApp(fakeIdentityProvider(strict))
    const { answer } = await app.authorize(await app.discover(), extra)
    expect(answer instanceof URL && answer.searchParams.get("error")).toBe(error)
  })

  it("responds with access_denied if the user denies", async () => {
    const idp = fakeIdentityProvider()
    idp.signInAs(null)
    await expect(createApp(idp).signIn()).rejects.toMatchObject({ error: "access_denied" })
  })

  it("rejects a code that was used", async () => {
    const app = createApp(fakeIdentityProvider())
    const as = await app.discover()
    const flow = await app.authorize(as)
    await app.exchange(as, flow)
    await expect(app.exchange(as, flow)).rejects.toMatchObject({ error: "invalid_grant" })
  })

  it("rejects another redirect_uri or code_verifier", async () => {
    const app = createApp(fakeIdentityProvider())
    const as = await app.discover()
    await expect(app.exchange(as, await app.authorize(as), `${redirectUri}?`)).rejects.toMatchObject({
      error: "invalid_grant",
    })
    const verifier = oauth.generateRandomCodeVerifier()
    await expect(app.exchange(as, { ...(await app.authorize(as)), verifier })).rejects.toMatchObject({
      error: "invalid_grant",
    })
  })

  it("rejects an unknown token at the userinfo endpoint", async () => {
    const idp = fakeIdentityProvider()
    const app = createApp(idp)
    const response = await oauth.userInfoRequest(await app.discover(), app.client, "invented", app.http)
    expect([response.status, await response.json()]).toEqual([401, expect.objectContaining({ error: "invalid_token" })])
  })
})

/** Faults that the client library leaves to its caller. */
const undetected: readonly FaultName[] = ["id-token-ancient", "id-token-from-the-future", "id-token-sub-empty"]
/** Errors of the library. A bug in a fault would throw another error. */
const refusals = [
  "OperationProcessingError",
  "UnsupportedOperationError",
  "AuthorizationResponseError",
  "ResponseBodyError",
  "WWWAuthenticateChallengeError",
]
const isSlow = (name: FaultName) => /-(huge|hangs|trickles)/.test(name)
const refusedFaults = (isMeant: (stage: FaultStage) => boolean) =>
  faultNames(({ outcome, stage }) => outcome === "refused" && isMeant(stage)).filter(
    (name) => !isSlow(name) && !undetected.includes(name),
  )

describe("faults", () => {
  /** Faults of pushed requests and signed responses are tested in authorization.test.ts. */
  const elsewhere: readonly FaultStage[] = ["pushed", "signed-answer", "userinfo"]
  it.each(refusedFaults((stage) => !elsewhere.includes(stage)))("%s is detected by a careful client", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    await expect(createApp(idp).signIn()).rejects.toSatisfy(({ name: error }) => refusals.includes(error))
  })

  it.each(refusedFaults((stage) => stage === "userinfo"))("%s is detected in the userinfo response", async (name) => {
    const idp = fakeIdentityProvider()
    const app = createApp(idp)
    const as = await app.discover()
    const tokens = await app.exchange(as, await app.authorize(as))
    idp.faults.turnOn(name)
    await expect(app.readUser(as, tokens)).rejects.toSatisfy(({ name: error }) => refusals.includes(error))
  })

  it.each(undetected)("%s is not detected by the client library", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    const app = createApp(idp)
    const as = await app.discover()
    await expect(app.exchange(as, await app.authorize(as))).resolves.toHaveProperty("id_token")
  })

  it.each(faultNames(({ outcome }) => outcome === "accepted"))("%s is accepted by a careful client", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    expect((await createApp(idp).signIn()).user.sub).toBe("ada-1815")
  })

  it("have no effect once they are turned off", async () => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn("id-token-expired", "userinfo-sub-wrong")
    idp.faults.clear()
    expect((await createApp(idp).signIn()).user.sub).toBe("ada-1815")
  })

  it("can be combined, also with custom effects", async () => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn("token-type-in-upper-case", { tokens: (tokens) => ({ ...tokens, expires_in: 7 }) })
    const { tokens } = await createApp(idp).signIn()
    expect([tokens.token_type, tokens.expires_in]).toEqual(["bearer", 7])
  })

  it.each(["discovery", "jwks", "token", "userinfo"] as const)(
    "%s hangs or trickles until the caller gives up",
    async (endpoint) => {
      for (const trouble of ["hangs", "trickles"] as const) {
        const idp = fakeIdentityProvider()
        const caller = new AbortController()
        const reason = new Error("enough")
        idp.faults.turnOn(`${endpoint}-${trouble}`)
        const signIn = createApp(idp, { signal: caller.signal }).signIn()
        const gaveUp = expect(signIn).rejects.toSatisfy((error) => error === reason || error.cause === reason)
        await vi.waitFor(() => expect(idp.requests[endpoint]).toHaveLength(1), 20_000)
        caller.abort(reason)
        await gaveUp
      }
    },
  )

  it("generate huge bodies only as far as they are read", async () => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn("discovery-huge-in-chunks")
    const response = await idp.fetch(`${idp.issuer}/.well-known/openid-configuration`)
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(65_536)
    await reader?.cancel()
  })

  it("do not reach another origin", async () => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn("discovery-redirects")
    await expect(idp.fetch(`${idp.issuer}/.well-known/openid-configuration`)).rejects.toThrow(TypeError)
    expect(idp.requests.elsewhere.map(({ url }) => url.href)).toEqual(["https://evil.test/"])
  })

  it("have a source and an effect", () => {
    for (const { source, effects } of Object.values(faults)) {
      expect(source).not.toBe("")
      expect(Object.keys(effects).length).toBeGreaterThan(0)
    }
  })
})
