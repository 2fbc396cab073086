import type { OAuth2Config, OAuthUserConfig, OIDCConfig, OIDCUserConfig } from "@latchkey/core/types"
import { answerAuthorization, answerPushedRequest } from "./authorization.js"
import { type Client, defaultClient, type RegisteredClient, registerClient } from "./client.js"
import { answerDiscovery, answerJwks } from "./discovery.js"
import {
  type Endpoint,
  findEndpoint,
  type Incoming,
  jsonAnswer,
  Refusal,
  readIncoming,
  toErrorAnswer,
} from "./endpoint.js"
import { createFaultSwitches, type FaultSwitches } from "./faults/faults.js"
import { createKeyRing, type SigningAlg } from "./keys.js"
import { ada, type Person } from "./person.js"
import { createProviderFetch, oauthProvider, oidcProvider } from "./provider-config.js"
import {
  createGrants,
  createPushedRequests,
  type EndpointAnswer,
  type Establishment,
  type IssuedSecret,
} from "./provider-state.js"
import { answerToken, answerUserinfo } from "./token.js"

/** How an identity provider is set up. */
export interface IdentityProviderOptions {
  /** May have a path. Default: `https://idp.test`. */
  readonly issuer?: string
  /** Apps that are registered. Default: one with the client id `rp` and a random secret. */
  readonly clients?: readonly [Client, ...Client[]]
  /** How ID tokens are signed. Default: RS256. */
  readonly signingAlg?: SigningAlg
  /** Who signs in. Default: {@link ada}. */
  readonly person?: Person
  /** Added to the discovery document. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** An OpenID Provider and OAuth 2.0 server in memory. */
export interface FakeIdentityProvider {
  readonly issuer: string
  /** The issuer's origin, for a browser's network. */
  readonly origin: string
  readonly clients: readonly RegisteredClient[]
  handler(request: Request): Promise<Response>
  /** Reaches this provider and nobody else; what goes elsewhere is recorded and fails. */
  readonly fetch: typeof fetch
  /** This provider as an app configures it, for its first client: OpenID Connect, with every check. */
  provider(overrides?: OIDCUserConfig): OIDCConfig
  /** The same as plain OAuth 2.0 with endpoints written out. */
  oauthProvider(overrides?: OAuthUserConfig): OAuth2Config
  /** Who signs in from now on. Null: nobody, which answers `access_denied`. */
  signInAs(person: Person | null): void
  /** From now on another key signs and is published. */
  rotateKeys(): void
  readonly faults: FaultSwitches
  /** Every request, by endpoint, in order. */
  readonly requests: Readonly<Record<Incoming["endpoint"], readonly Incoming[]>>
  /** Every code and token that was issued, for a search of logs and answers. */
  readonly issued: readonly IssuedSecret[]
}

const answers: Readonly<Record<Endpoint, EndpointAnswer>> = {
  discovery: answerDiscovery,
  jwks: answerJwks,
  authorization: answerAuthorization,
  pushed: answerPushedRequest,
  token: answerToken,
  userinfo: answerUserinfo,
}

/**
 * An identity provider that follows the standards to the letter, signs with real keys, and misbehaves on demand.
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
  const establishment: Establishment = {
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
    if (!endpoint) return jsonAnswer({ error: "not_found" }, 404)
    const incoming = await readIncoming(request, endpoint)
    requests[endpoint].push(incoming)
    const honest = await answerAt(endpoint, incoming, establishment)
    return apply("response", honest, { endpoint, issuer, keys: establishment.keys, incoming })
  }

  const { origin } = new URL(issuer)
  const fetch = createProviderFetch({
    isOwn: (url) => url.origin === origin,
    answer: handler,
    record: (incoming) => requests.elsewhere.push(incoming),
  })
  const connection = { issuer, client, alg: establishment.keys.alg, fetch }
  return {
    issuer,
    origin,
    clients: establishment.clients,
    handler,
    fetch,
    provider: (overrides) => oidcProvider(connection, overrides),
    oauthProvider: (overrides) => oauthProvider(connection, overrides),
    signInAs(next) {
      person = next
    },
    rotateKeys: establishment.keys.rotate,
    faults: switches,
    requests,
    issued,
  }
}

async function answerAt(endpoint: Endpoint, incoming: Incoming, establishment: Establishment): Promise<Response> {
  try {
    return await answers[endpoint](incoming, establishment)
  } catch (error) {
    if (error instanceof Refusal) return toErrorAnswer(error)
    throw error
  }
}

function emptyRecord(): Record<Incoming["endpoint"], Incoming[]> {
  return { discovery: [], jwks: [], authorization: [], pushed: [], token: [], userinfo: [], elsewhere: [] }
}
