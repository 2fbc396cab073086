import type { OAuth2Config, OAuthUserConfig, OIDCConfig, OIDCUserConfig } from "@latchkey/core/types"
import { serveAuthorization, servePushedRequest } from "./authorization.js"
import { type Client, defaultClient, type RegisteredClient, registerClient } from "./client.js"
import { serveDiscovery, serveJwks } from "./discovery.js"
import {
  type Endpoint,
  errorResponse,
  findEndpoint,
  type Incoming,
  jsonResponse,
  OAuthError,
  readIncoming,
} from "./endpoint.js"
import { createFaultSwitches, type FaultSwitches } from "./faults/faults.js"
import { createKeyRing, type SigningAlg } from "./keys.js"
import {
  type LogoutTarget,
  type LogoutTokenOptions,
  serveLogout,
  signLogoutToken,
  type WrongLogoutTokenName,
  wrongLogoutTokens,
} from "./logout.js"
import { ada, type Person } from "./person.js"
import { createProviderFetch, oauthProvider, oidcProvider } from "./provider-config.js"
import {
  createGrants,
  createPushedRequests,
  type EndpointHandler,
  type IssuedSecret,
  type ProviderState,
} from "./provider-state.js"
import { serveToken, serveUserinfo } from "./token.js"

/** Options of {@link fakeIdentityProvider}. */
export interface IdentityProviderOptions {
  /** The issuer's URL, with or without a path. Default: `https://idp.test`. */
  readonly issuer?: string | undefined
  /** The registered clients. Default: one with the id `rp` and a random secret. */
  readonly clients?: readonly [Client, ...Client[]] | undefined
  /** The algorithm that signs ID tokens. Default: RS256. */
  readonly signingAlg?: SigningAlg | undefined
  /** The user who signs in. Default: {@link ada}. */
  readonly person?: Person | undefined
  /** Added to the discovery document. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** An OpenID provider and OAuth 2.0 server in memory. */
export interface FakeIdentityProvider {
  readonly issuer: string
  /** The issuer's origin, as key of a browser's network. */
  readonly origin: string
  /** The registered clients, with their secrets. */
  readonly clients: readonly RegisteredClient[]
  /** Serves the provider's endpoints. */
  handler(request: Request): Promise<Response>
  /** A `fetch` that reaches only this provider. Requests to other origins are recorded and fail. */
  readonly fetch: typeof fetch
  /** Returns the OpenID Connect configuration of the first client, with the id `oidc` and every check. */
  provider(overrides?: OIDCUserConfig): OIDCConfig
  /** Returns the plain OAuth 2.0 configuration of the first client, with the id `oauth` and explicit endpoints. */
  oauthProvider(overrides?: OAuthUserConfig): OAuth2Config
  /** Sets the user for the next sign-ins. Null denies them with `access_denied`. */
  signInAs(person: Person | null): void
  /** Replaces the signing key, also in the key set. */
  rotateKeys(): void
  /** Signs a logout token for the first client. Write `claims: { sid }` or `claims: { sub }`. */
  logoutToken(options?: LogoutTokenOptions): Promise<string>
  /** A logout token for this session or user that a client must refuse. */
  wrongLogoutToken(name: WrongLogoutTokenName, target: LogoutTarget): Promise<string>
  /** Turns faults on and off. */
  readonly faults: FaultSwitches
  /** All requests so far by endpoint, oldest first. */
  readonly requests: Readonly<Record<Incoming["endpoint"], readonly Incoming[]>>
  /** All codes and tokens issued so far, for {@link findLeaks}. */
  readonly issued: readonly IssuedSecret[]
}

const endpoints: Readonly<Record<Endpoint, EndpointHandler>> = {
  discovery: serveDiscovery,
  jwks: serveJwks,
  authorization: serveAuthorization,
  pushed: servePushedRequest,
  token: serveToken,
  userinfo: serveUserinfo,
  logout: serveLogout,
}

/**
 * Creates an identity provider that follows the standards strictly, signs with real keys, and misbehaves on demand.
 * @example
 * const idp = fakeIdentityProvider()
 * idp.signInAs({ sub: "42", email: "grace@example.com", email_verified: true })
 * idp.faults.turnOn("id-token-expired")
 */
export function fakeIdentityProvider(options: IdentityProviderOptions = {}): FakeIdentityProvider {
  const issuer = options.issuer ?? "https://idp.test"
  const issued: IssuedSecret[] = []
  const requests = emptyRecord()
  const { switches, apply } = createFaultSwitches()
  let person: Person | null = options.person ?? ada
  const [first, ...others] = options.clients ?? [defaultClient]
  const client = registerClient(first)
  const provider: ProviderState = {
    issuer,
    clients: [client, ...others.map(registerClient)],
    keys: createKeyRing(issuer, options.signingAlg ?? "RS256"),
    grants: createGrants(issued),
    pushed: createPushedRequests(),
    metadata: options.metadata ?? {},
    apply,
    person: () => person,
  }

  async function handler(request: Request): Promise<Response> {
    const endpoint = findEndpoint(issuer, new URL(request.url))
    if (!endpoint) return jsonResponse({ error: "not_found" }, 404)
    const incoming = await readIncoming(request, endpoint)
    requests[endpoint].push(incoming)
    const response = await serve(endpoint, incoming, provider)
    return apply("response", response, { endpoint, issuer, keys: provider.keys, incoming })
  }

  const { origin } = new URL(issuer)
  const fetch = createProviderFetch({
    isProvider: (url) => url.origin === origin,
    answer: handler,
    record: (incoming) => requests.elsewhere.push(incoming),
  })
  const connection = { issuer, client, alg: provider.keys.alg, fetch }
  return {
    issuer,
    origin,
    clients: provider.clients,
    handler,
    fetch,
    provider: (overrides) => oidcProvider(connection, overrides),
    oauthProvider: (overrides) => oauthProvider(connection, overrides),
    signInAs(next) {
      person = next
    },
    rotateKeys: provider.keys.rotate,
    logoutToken: (tokenOptions) => signLogoutToken(provider, tokenOptions),
    wrongLogoutToken: (name, target) => wrongLogoutTokens[name](provider, target),
    faults: switches,
    requests,
    issued,
  }
}

async function serve(endpoint: Endpoint, incoming: Incoming, provider: ProviderState): Promise<Response> {
  try {
    return await endpoints[endpoint](incoming, provider)
  } catch (error) {
    if (error instanceof OAuthError) return errorResponse(error)
    throw error
  }
}

function emptyRecord(): Record<Incoming["endpoint"], Incoming[]> {
  return { discovery: [], jwks: [], authorization: [], pushed: [], token: [], userinfo: [], logout: [], elsewhere: [] }
}
