import { customFetch } from "@latchkey/core"
import type { OAuth2Config, OAuthUserConfig, OIDCConfig, OIDCUserConfig } from "@latchkey/core/types"
import type { RegisteredClient } from "./client.js"
import { type Incoming, readIncoming, urlOf } from "./endpoint.js"
import type { SigningAlg } from "./keys.js"

interface Connection {
  readonly issuer: string
  readonly client: RegisteredClient
  readonly alg: SigningAlg
  readonly fetch: typeof fetch
}

/** The configuration of an OpenID Connect provider with the id `oidc`, discovery and every check. */
export function oidcProvider({ issuer, client, alg, fetch }: Connection, overrides: OIDCUserConfig = {}): OIDCConfig {
  const { id = "oidc", name = "Test identity provider" } = overrides
  return {
    type: "oidc",
    issuer,
    ...credentialsOf(client),
    client: { token_endpoint_auth_method: client.token_endpoint_auth_method, id_token_signed_response_alg: alg },
    checks: ["pkce", "state", "nonce"],
    [customFetch]: fetch,
    ...overrides,
    id,
    name,
  }
}

/** The configuration of a plain OAuth 2.0 provider with the id `oauth` and explicit endpoints. */
export function oauthProvider({ issuer, client, fetch }: Connection, overrides: OAuthUserConfig = {}): OAuth2Config {
  const { id = "oauth", name = "Test OAuth provider" } = overrides
  return {
    type: "oauth",
    issuer,
    authorization: { url: urlOf(issuer, "authorization"), params: { scope: "profile email" } },
    token: urlOf(issuer, "token"),
    userinfo: urlOf(issuer, "userinfo"),
    ...credentialsOf(client),
    client: { token_endpoint_auth_method: client.token_endpoint_auth_method },
    checks: ["pkce", "state"],
    [customFetch]: fetch,
    ...overrides,
    id,
    name,
  }
}

function credentialsOf(client: RegisteredClient): { readonly clientId: string; readonly clientSecret?: string } {
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = client
  return method === "none" || method === "private_key_jwt" ? { clientId } : { clientId, clientSecret }
}

interface ProviderFetchOptions {
  readonly isProvider: (url: URL) => boolean
  readonly answer: (request: Request) => Promise<Response>
  /** Records a request to another origin. */
  readonly record: (incoming: Incoming) => void
}

/**
 * Creates a `fetch` that reaches only the identity provider. Requests to other origins are recorded and fail like a
 * network error. It honors the caller's `signal` and `redirect` mode.
 */
export function createProviderFetch({ isProvider, answer, record }: ProviderFetchOptions): typeof fetch {
  async function send(request: Request): Promise<Response> {
    if (isProvider(new URL(request.url))) return untilAborted(request.signal, answer(request))
    record(await readIncoming(request, "elsewhere"))
    throw new TypeError("fetch failed: no server at this address")
  }

  return async function providerFetch(input, init) {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const mode = init?.redirect ?? request.redirect
    const response = await send(request)
    const location = response.headers.get("location")
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null
    if (!isRedirect || mode === "manual") return response
    if (mode === "error") throw new TypeError("fetch failed: unexpected redirect")
    return send(new Request(new URL(location, request.url), { signal: request.signal }))
  }
}

function untilAborted(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  return Promise.race([answer, aborted])
}
