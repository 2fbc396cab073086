import type { AnyValue } from "@latchkey/types"
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose"
import { resolveProvider } from "../../src/config/providers.js"
import { type AuthorizationCompletion, completeAuthorization } from "../../src/oauth/callback.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../src/oauth/endpoints.js"
import type { EndpointKind } from "../../src/oauth/errors.js"
import type { OAuthIdentity } from "../../src/oauth/userinfo.js"
import { customFetch } from "../../src/types/basics.js"
import type { OAuth2Config, OIDCConfig } from "../../src/types/oauth-provider.js"
import type { ResolvedOAuthProvider } from "../../src/types/resolved.js"

export const clientSecret = "client-secret-of-at-least-thirty-two-characters"
export const redirectUri = "https://app.test/auth/callback/oidc"
/** Must never appear in an error. */
export const flow = {
  code: "code-5d1f",
  state: "state-77aa",
  codeVerifier: "verifier-0c".repeat(5),
  nonce: "nonce-41bb",
}

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export async function createSigningKey(kid: string, alg = "RS256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
}

const sharedKey = createSigningKey("key-1")

export interface ProviderCall {
  readonly endpoint: EndpointKind | "other"
  readonly url: string
  readonly init: RequestInit
  readonly headers: Headers
  /** Fields of a form. */
  readonly form: URLSearchParams
}

type Answer = (call: ProviderCall) => Response | Promise<Response>
type Claims = Record<string, unknown>

/** An OpenID Connect provider behind a `fetch` function. The response of each endpoint can be replaced. */
export interface FakeProvider {
  readonly issuer: string
  readonly fetch: typeof fetch
  readonly calls: readonly ProviderCall[]
  hits(endpoint: ProviderCall["endpoint"]): number
  answer(endpoint: ProviderCall["endpoint"], answer: Answer): void
  /** Sets the ID token of the token response. */
  answerIdToken(idToken: string, more?: Claims): void
  metadata: Claims
  keys: readonly JWK[]
  claims(changes?: Claims): Claims
  sign(claims?: Claims, header?: Partial<JWTHeaderParameters>, key?: SigningKey): Promise<string>
}

export async function createFakeProvider(issuer = "https://idp.test"): Promise<FakeProvider> {
  const key = await sharedKey
  const calls: ProviderCall[] = []
  const answers = new Map<ProviderCall["endpoint"], Answer>()
  const nowSeconds = () => Math.floor(Date.now() / 1000)
  const fake: FakeProvider = {
    issuer,
    calls,
    keys: [key.publicJwk],
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
    },
    hits: (endpoint) => calls.filter((call) => call.endpoint === endpoint).length,
    answer: (endpoint, answer) => void answers.set(endpoint, answer),
    answerIdToken: (idToken, more) => fake.answer("token", () => Response.json(tokenAnswer(idToken, more))),
    claims: (changes) => ({
      iss: issuer,
      aud: "rp",
      sub: "subject-1",
      nonce: flow.nonce,
      iat: nowSeconds(),
      exp: nowSeconds() + 300,
      email: "Ada@Example.test",
      name: "Ada",
      ...changes,
    }),
    sign: (claims = fake.claims(), header = {}, signer = key) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signer.alg, kid: signer.kid, ...header })
        .sign(signer.privateKey, { crit: { [unknownExtension]: true } }),
    fetch: async (input, init = {}) => {
      const url = String(input)
      const endpoint = findEndpoint(url, fake)
      const form = new URLSearchParams(init.body instanceof URLSearchParams ? init.body : "")
      const call = { endpoint, url, init, headers: new Headers(init.headers), form }
      calls.push(call)
      return (answers.get(endpoint) ?? (() => new Response("not here", { status: 404 })))(call)
    },
  }
  fake.answer("discovery", () => Response.json(fake.metadata))
  fake.answer("jwks", () => Response.json({ keys: fake.keys }))
  fake.answer("token", async () => Response.json(tokenAnswer(await fake.sign())))
  fake.answer("userinfo", () => Response.json({ sub: "subject-1", email: "Ada@Example.test", name: "Ada" }))
  return fake
}

/** A header that no client understands. The fake provider may list it as critical, RFC 7515 section 4.1.11. */
export const unknownExtension = "urn:example:extension"

export const accessToken = "access-token-9f3e"

export function tokenAnswer(idToken?: string, more: Claims = {}): Claims {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: 3600,
    ...(idToken !== undefined && { id_token: idToken }),
    ...more,
  }
}

function findEndpoint(url: string, { metadata }: FakeProvider): ProviderCall["endpoint"] {
  const { pathname } = new URL(url)
  if (pathname.includes("/.well-known/")) return "discovery"
  if (url === metadata["token_endpoint"] || pathname.endsWith("/token")) return "token"
  if (pathname.endsWith("/jwks")) return "jwks"
  return pathname.endsWith("/userinfo") ? "userinfo" : "other"
}

export function oidcProvider(fake: FakeProvider, changes: Partial<OIDCConfig> = {}): ResolvedOAuthProvider {
  return resolveOAuth({
    id: "oidc",
    name: "OIDC",
    type: "oidc",
    issuer: fake.issuer,
    clientId: "rp",
    clientSecret,
    checks: ["pkce", "state", "nonce"],
    [customFetch]: fake.fetch,
    ...changes,
  })
}

export function oauthProvider(fake: FakeProvider, changes: Partial<OAuth2Config> = {}): ResolvedOAuthProvider {
  return resolveOAuth({
    id: "oauth",
    name: "OAuth",
    type: "oauth",
    authorization: `${fake.issuer}/authorize`,
    token: `${fake.issuer}/token`,
    userinfo: `${fake.issuer}/userinfo`,
    clientId: "rp",
    clientSecret,
    checks: ["pkce", "state"],
    [customFetch]: fake.fetch,
    ...changes,
  })
}

export function resolveOAuth(config: OAuth2Config<AnyValue> | OIDCConfig<AnyValue>): ResolvedOAuthProvider {
  const provider = resolveProvider(config, undefined)
  if (provider.type === "oauth" || provider.type === "oidc") return provider
  throw new TypeError("not an OAuth provider")
}

export interface CallbackChanges extends Partial<Omit<AuthorizationCompletion, "provider" | "parameters">> {
  /** The callback's query. */
  readonly query?: string
  readonly clock?: () => number
  readonly log?: ProviderEndpoints["log"]
}

/** Completes a sign-in with a valid callback, except for the changes. */
export function complete(provider: ResolvedOAuthProvider, changes: CallbackChanges = {}): Promise<OAuthIdentity> {
  const { query = `code=${flow.code}&state=${flow.state}`, clock = Date.now, log, ...rest } = changes
  const { state, codeVerifier, nonce } = flow
  const expected = { state, codeVerifier, ...(provider.checks.includes("nonce") && { nonce }) }
  return completeAuthorization(
    { provider, redirectUri, expected, parameters: new URLSearchParams(query), ...rest },
    createProviderEndpoints({ clock, ...(log && { log }) }),
  )
}

/** Returns the error of a rejected promise. */
export async function rejectionOf(work: Promise<unknown>): Promise<Error & { readonly cause?: Claims }> {
  const result: unknown = await work.then(
    () => new TypeError("it did not fail"),
    (error: unknown) => error,
  )
  if (result instanceof Error) return result as Error & { readonly cause?: Claims } // as: an AuthError has details as its cause.
  throw new TypeError("something that is no error was thrown")
}
