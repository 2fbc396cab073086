import { array, assert, asyncProperty, constantFrom, oneof, string, tuple } from "fast-check"
import { describe, expect, it } from "vitest"
import {
  createFakeProvider,
  type FakeProvider,
  oauthProvider,
  oidcProvider,
  rejectionOf,
} from "../../test/setup/fake-provider.js"
import { createAllowedOrigins } from "../http/origin.js"
import {
  type AuthorizationRequest,
  buildAuthorizationUrl,
  decideProxy,
  reservedParameters,
  resolveRedirectUri,
} from "./authorize.js"
import { createProviderEndpoints } from "./endpoints.js"

async function build(fake: FakeProvider, changes: Partial<AuthorizationRequest> = {}): Promise<URL> {
  const request = {
    provider: oidcProvider(fake),
    redirectUri: "https://app.test/auth/callback/oidc",
    query: new URLSearchParams(),
    state: "our-state",
    codeChallenge: "our-challenge",
    nonce: "our-nonce",
    ...changes,
  }
  return buildAuthorizationUrl(request, createProviderEndpoints({}))
}

const ours = {
  client_id: "rp",
  redirect_uri: "https://app.test/auth/callback/oidc",
  response_type: "code",
  state: "our-state",
  nonce: "our-nonce",
  code_challenge: "our-challenge",
  code_challenge_method: "S256",
}

/** The last value counts, and an empty scope is not sent. */
function expectedValues(name: string, query: URLSearchParams): readonly (string | undefined)[] {
  const last = query.getAll(name).at(-1)
  return name === "scope" && last === "" ? [] : [last]
}

describe("buildAuthorizationUrl", () => {
  it("OAU-11: ignores protocol parameters in the visitor's query, and forwards the rest", async () => {
    const fake = await createFakeProvider()
    const query = new URLSearchParams(
      "redirect_uri=https://evil.test/cb&client_id=evil&response_type=token&scope=admin&state=x&code_challenge=x&response_mode=fragment&code_challenge_method=plain&nonce=x&request=x&request_uri=x&login_hint=ada",
    )
    const url = await build(fake, { query })
    expect(`${url.origin}${url.pathname}`).toBe("https://idp.test/authorize")
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...ours, scope: "admin", login_hint: "ada" })
  })

  it("OAU-11: no query changes a reserved parameter; of any other the last value counts", async () => {
    const fake = await createFakeProvider()
    const provider = oidcProvider(fake, { authorization: { params: { response_mode: "query", prompt: "login" } } })
    const name = oneof(constantFrom(...reservedParameters, "scope", "prompt", "login_hint"), string({ minLength: 1 }))
    await assert(
      asyncProperty(array(tuple(name, string())), async (pairs) => {
        const query = new URLSearchParams(pairs)
        const { searchParams } = await build(fake, { provider, query })
        for (const [reserved, value] of Object.entries({ ...ours, response_mode: "query" })) {
          expect(searchParams.getAll(reserved)).toEqual([value])
        }
        expect(searchParams.has("request") || searchParams.has("request_uri")).toBe(false)
        const free = [...new Set(query.keys())].filter((own) => !reservedParameters.has(own))
        for (const own of free) expect(searchParams.getAll(own)).toEqual(expectedValues(own, query))
      }),
    )
  })

  it("OAU-11: keeps the configured parameters, except those that a person may choose", async () => {
    const fake = await createFakeProvider()
    const host = { acr_values: "loa3", hd: "corp.test", max_age: 60, prompt: "consent", scope: "openid" }
    const provider = oidcProvider(fake, { authorization: { params: host } })
    const query = new URLSearchParams(
      "acr_values=loa1&hd=evil.test&max_age=9999&prompt=login&scope=openid+email&login_hint=ada&custom=1&custom=2",
    )
    const { searchParams } = await build(fake, { provider, query })
    expect(Object.fromEntries(searchParams)).toMatchObject({
      acr_values: "loa3",
      hd: "corp.test",
      max_age: "60",
      prompt: "login",
      scope: "openid email",
      login_hint: "ada",
      custom: "2",
    })
  })

  it("requests the scope openid profile email unless the provider or the visitor sets one", async () => {
    const fake = await createFakeProvider()
    expect((await build(fake)).searchParams.get("scope")).toBe("openid profile email")
    const provider = oauthProvider(fake, { authorization: `${fake.issuer}/authorize?scope=read` })
    expect((await build(fake, { provider })).searchParams.get("scope")).toBe("read")
  })

  it("sends no scope if the provider's is empty", async () => {
    const fake = await createFakeProvider()
    const provider = oauthProvider(fake, { authorization: `${fake.issuer}/authorize?scope=` })
    expect((await build(fake, { provider })).searchParams.has("scope")).toBe(false)
  })

  it("encodes objects as JSON, and omits unset parameters", async () => {
    const fake = await createFakeProvider()
    const claims = { id_token: { email: null } }
    const params = { claims, max_age: 0, prompt: undefined, display: null }
    const { searchParams } = await build(fake, { provider: oidcProvider(fake, { authorization: { params } }) })
    expect(JSON.parse(searchParams.get("claims") ?? "")).toEqual(claims)
    expect(searchParams.get("max_age")).toBe("0")
    expect(searchParams.has("prompt") || searchParams.has("display")).toBe(false)
  })

  it("OAU-09: sends the code challenge even if the metadata does not announce PKCE", async () => {
    const fake = await createFakeProvider()
    expect(fake.metadata).not.toHaveProperty("code_challenge_methods_supported")
    expect((await build(fake)).searchParams.get("code_challenge_method")).toBe("S256")
  })

  it("sends only the given checks", async () => {
    const fake = await createFakeProvider()
    const { searchParams } = await build(fake, { state: undefined, codeChallenge: undefined, nonce: undefined })
    expect(["state", "nonce", "code_challenge", "code_challenge_method"].some((name) => searchParams.has(name))).toBe(
      false,
    )
  })

  it("keeps the endpoint's own query against the visitor's, and a configured fragment", async () => {
    const fake = await createFakeProvider()
    fake.metadata = { ...fake.metadata, authorization_endpoint: "https://idp.test/authorize?policy=b2c" }
    const query = new URLSearchParams("policy=weak")
    expect((await build(fake, { query })).searchParams.getAll("policy")).toEqual(["b2c"])
    const provider = oidcProvider(fake, { authorization: "https://idp.test/authorize?policy=b2c#redirect" })
    const url = await build(fake, { provider, query })
    expect([url.searchParams.getAll("policy"), url.hash]).toEqual([["b2c"], "#redirect"])
  })

  it("OAU-36: does not redirect when discovery fails", async () => {
    const fake = await createFakeProvider()
    fake.metadata = { ...fake.metadata, issuer: "https://evil.test" }
    const error = await rejectionOf(build(fake))
    expect(error).toMatchObject({ type: "OAuthSignInError", kind: "signIn", cause: { provider: "oidc" } })
    expect(error.cause?.["err"]).toMatchObject({ name: "ProviderError" })
  })
})

const proxied = { id: "oidc", redirectProxyUrl: "https://proxy.test/api/auth", isFormPost: false }
const local = "https://preview.test/auth/callback/oidc"

describe("resolveRedirectUri", () => {
  it("returns the proxy's callback, or the service's own without a proxy", () => {
    expect(resolveRedirectUri(proxied, local)).toBe("https://proxy.test/api/auth/callback/oidc")
    expect(resolveRedirectUri({ ...proxied, redirectProxyUrl: "https://proxy.test/auth/" }, local)).toBe(
      "https://proxy.test/auth/callback/oidc",
    )
    expect(resolveRedirectUri({ id: "oidc", isFormPost: false }, local)).toBe(local)
  })

  it("returns the service's own callback for form posts", () => {
    expect(resolveRedirectUri({ ...proxied, isFormPost: true }, local)).toBe(local)
  })

  it.each(["nothing", "ftp://proxy.test", "javascript:alert(1)"])("rejects the proxy %s", (redirectProxyUrl) => {
    expect(() => resolveRedirectUri({ ...proxied, redirectProxyUrl }, local)).toThrow(/redirectProxyUrl/)
  })
})

describe("decideProxy", () => {
  const allowedOrigins = createAllowedOrigins([
    "https://preview.test",
    "https://*.preview.test",
    "http://localhost:3000",
  ])
  const decide = (stateOrigin: string | undefined, origin = "https://proxy.test", allowed = allowedOrigins) =>
    decideProxy({ provider: proxied, origin, stateOrigin, allowedOrigins: allowed })

  it.each([
    "javascript:alert(1)//callback/oidc",
    "data:text/html,/callback/oidc",
    "blob:https://preview.test/callback/oidc",
    "/auth/callback/oidc",
    "https://preview.test/",
    "https://preview.test/auth/callback/other",
    "https://preview.test/auth/callback/oidc/more",
    "https://preview.test/?x=/auth/callback/oidc",
    "https://preview.test/#/callback/oidc",
    "https://user@preview.test/auth/callback/oidc",
    "https://preview.test/auth/callback/oidc?x=1",
    "nothing",
    "",
  ])("HOST-08: does not forward to anything but a callback of this provider: %s", (stateOrigin) => {
    expect(() => decide(stateOrigin)).toThrow(expect.objectContaining({ type: "InvalidCheck" }))
  })

  it.each([
    "https://evil.test/auth/callback/oidc",
    "http://preview.test/auth/callback/oidc",
    "https://preview.test:8443/auth/callback/oidc",
    "https://a.b.preview.test/auth/callback/oidc",
    "https://preview.test.evil.test/auth/callback/oidc",
  ])("HOST-08: does not forward to an origin that is not listed: %s", (stateOrigin) => {
    expect(() => decide(stateOrigin)).toThrow(expect.objectContaining({ type: "UntrustedHost" }))
    const { origin } = new URL(stateOrigin)
    expect(() => decide(stateOrigin)).toThrow(`allowedOrigins: ["${origin}"]`)
  })

  it("HOST-08: does not forward without a list", () => {
    expect(() =>
      decideProxy({ provider: proxied, origin: "https://proxy.test", stateOrigin: local, allowedOrigins: null }),
    ).toThrow(/allowedOrigins/)
  })

  it("HOST-08: forwards to the origin where the flow began, if this is the proxy and the origin is listed", () => {
    expect(decide(local)?.href).toBe(local)
    expect(decide("https://pr-7.preview.test/auth/callback/oidc")?.origin).toBe("https://pr-7.preview.test")
    expect(decide("http://localhost:3000/auth/callback/oidc")?.href).toBe("http://localhost:3000/auth/callback/oidc")
  })

  it("completes flows that began here or need no proxy", () => {
    expect(decide("https://proxy.test/api/auth/callback/oidc")).toBeNull()
    expect(decide(undefined)).toBeNull()
    expect(decide(local, "https://preview.test")).toBeNull()
    expect(
      decideProxy({
        provider: { id: "oidc", isFormPost: false },
        origin: "https://proxy.test",
        stateOrigin: local,
        allowedOrigins,
      }),
    ).toBeNull()
  })
})
