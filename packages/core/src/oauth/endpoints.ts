import { type AuthorizationServer, type JWKS, processDiscoveryResponse } from "oauth4webapi"
import type { Log } from "../log/log.js"
import type { Clock } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { assertDiscoveredUrl, assertSecureUrl, parseEndpoint } from "./address.js"
import { type EndpointKind, ProviderError } from "./errors.js"
import { createProviderFetch, fetchOf, isObject, parseJson } from "./fetch.js"
import { CacheByFetch, findSigningKeys, type KeySearch } from "./keys.js"

/** An endpoint whose address metadata tells. */
export type NamedEndpoint = Exclude<EndpointKind, "discovery">

/** What is known of a provider's server, RFC 8414. */
export interface ProviderServer {
  readonly metadata: AuthorizationServer
  /** False: nothing names the issuer, and `metadata.issuer` only stands in. */
  readonly hasIssuer: boolean
}

/** Finds a provider's addresses and keys. What it fetches is kept between configurations and requests. */
export interface ProviderEndpoints {
  readonly clock: Clock
  /**
   * Addresses that the host configured win over the discovery document's, which is fetched only if one of `needed` is
   * missing.
   * @throws ProviderError
   */
  resolve(provider: ResolvedOAuthProvider, needed: readonly NamedEndpoint[]): Promise<ProviderServer>
  /** @throws ProviderError */
  findKeys(provider: ResolvedOAuthProvider, search: Omit<KeySearch, "nowMs">): Promise<JWKS>
}

export interface ProviderEndpointsNeeds {
  /** Default: the system's. */
  readonly clock?: Clock
  readonly log?: Pick<Log, "debug">
}

export function createProviderEndpoints({ clock = Date.now, log }: ProviderEndpointsNeeds): ProviderEndpoints {
  const configuredOf = remembered(parseConfigured)
  const serverOf = remembered(toServers)
  return {
    clock,
    async resolve(provider, needed) {
      const configured = configuredOf(provider)
      if (needed.every((endpoint) => metadataName(endpoint) in configured))
        return toConfiguredServer(provider, configured)
      const found = await discover(provider, clock())
      log?.debug("provider metadata", () => ({ provider: provider.id, url: found.url.href }))
      try {
        return namingAll(serverOf(provider)(configured, found), needed)
      } catch (error) {
        found.forget()
        throw error
      }
    },
    findKeys: (provider, search) => findSigningKeys(provider, { ...search, nowMs: clock() }),
  }
}

/** Addresses are looked at once for each provider: it is never written to. */
function remembered<Made>(make: (provider: ResolvedOAuthProvider) => Made): (provider: ResolvedOAuthProvider) => Made {
  const made = new WeakMap<ResolvedOAuthProvider, Made>()
  return (provider) => {
    const known = made.get(provider) ?? make(provider)
    made.set(provider, known)
    return known
  }
}

const metadataNames = {
  authorization: "authorization_endpoint",
  jwks: "jwks_uri",
  "pushed-authorization": "pushed_authorization_request_endpoint",
  token: "token_endpoint",
  userinfo: "userinfo_endpoint",
} as const satisfies Record<NamedEndpoint, keyof AuthorizationServer>

const namedEndpoints: readonly NamedEndpoint[] = ["authorization", "jwks", "pushed-authorization", "token", "userinfo"]

type Addresses = Partial<Record<(typeof metadataNames)[NamedEndpoint], string>>

function metadataName(endpoint: NamedEndpoint): (typeof metadataNames)[NamedEndpoint] {
  return metadataNames[endpoint]
}

function parseConfigured(provider: ResolvedOAuthProvider): Addresses {
  const { authorization, token, userinfo, jwks_endpoint } = provider
  const given: Partial<Record<NamedEndpoint, string | URL | undefined>> = {
    authorization: authorization.url,
    jwks: jwks_endpoint,
    "pushed-authorization": typeof authorization.pushed === "boolean" ? undefined : authorization.pushed,
    token: token.url,
    userinfo: userinfo.url,
  }
  const addresses: Addresses = {}
  for (const endpoint of namedEndpoints) {
    const url = given[endpoint]
    if (url === undefined) continue
    assertSecureUrl(parseEndpoint(String(url), endpoint), {
      endpoint,
      allowInsecureRequests: provider.allowInsecureRequests,
    })
    addresses[metadataName(endpoint)] = String(url)
  }
  return addresses
}

function toConfiguredServer(provider: ResolvedOAuthProvider, configured: Addresses): ProviderServer {
  // The protocol library wants a text, which is compared with nothing when the provider has no issuer.
  const standIn = configured.token_endpoint ?? configured.authorization_endpoint ?? provider.id
  return {
    metadata: { issuer: provider.issuer ?? standIn, ...configured },
    hasIssuer: provider.issuer !== undefined,
  }
}

/** A provider's server as its documents say; once for each document. */
function toServers(provider: ResolvedOAuthProvider) {
  let last: { readonly document: AuthorizationServer; readonly server: ProviderServer } | undefined
  return (configured: Addresses, found: DiscoveredServer): ProviderServer => {
    if (last?.document === found.metadata) return last.server
    const addresses = { ...parseDiscovered(provider, found, configured), ...configured }
    const server = { metadata: { ...pickFacts(found.metadata), ...addresses }, hasIssuer: true }
    last = { document: found.metadata, server }
    return server
  }
}

function namingAll(server: ProviderServer, needed: readonly NamedEndpoint[]): ProviderServer {
  const missing = needed.find((endpoint) => server.metadata[metadataName(endpoint)] === undefined)
  if (missing === undefined) return server
  throw new ProviderError(`Neither configuration nor discovery names the ${missing} endpoint`, {
    code: "no-endpoints",
    endpoint: missing,
  })
}

function parseDiscovered(
  provider: ResolvedOAuthProvider,
  { metadata, url: documentUrl }: DiscoveredServer,
  configured: Addresses,
): Addresses {
  const addresses: Addresses = {}
  for (const endpoint of namedEndpoints) {
    const name = metadataName(endpoint)
    const address = metadata[name]
    if (address === undefined || address === null || name in configured) continue
    const policy = { endpoint, allowInsecureRequests: provider.allowInsecureRequests }
    assertDiscoveredUrl(parseEndpoint(String(address), endpoint), documentUrl, policy)
    addresses[name] = String(address)
  }
  return addresses
}

const algorithmLists = [
  "authorization_signing_alg_values_supported",
  "id_token_signing_alg_values_supported",
  "userinfo_signing_alg_values_supported",
] as const satisfies readonly (keyof AuthorizationServer)[]

const claimedAbilities = [
  "authorization_response_iss_parameter_supported",
  "require_pushed_authorization_requests",
] as const satisfies readonly (keyof AuthorizationServer)[]

/** Only what is used: nothing else in a document changes how the protocol library works. */
function pickFacts(metadata: AuthorizationServer): AuthorizationServer {
  const lists = algorithmLists.filter((name) => metadata[name]).map((name) => [name, metadata[name]] as const)
  const abilities = claimedAbilities.filter((name) => metadata[name] === true).map((name) => [name, true] as const)
  return { issuer: metadata.issuer, ...Object.fromEntries([...lists, ...abilities]) }
}

/** A provider that answered, and how its endpoints and keys are found. */
export interface ProviderContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly endpoints: ProviderEndpoints
}

const documents = new CacheByFetch<AuthorizationServer>({ maxAgeMs: 60 * 60 * 1000 })

interface DiscoveredServer {
  readonly metadata: AuthorizationServer
  /** Where the document came from. */
  readonly url: URL
  /** Lets it be fetched anew the next time. */
  readonly forget: () => void
}

/**
 * A provider's metadata, OpenID Connect Discovery 1.0 section 4. Its issuer is the configured one (section 4.3), or one
 * that the provider's `isIssuer` accepts.
 * @throws ProviderError
 */
async function discover(provider: ResolvedOAuthProvider, nowMs: number): Promise<DiscoveredServer> {
  const url = getDocumentUrl(provider)
  const expectedIssuer = provider.isIssuer ? undefined : provider.issuer
  const key = `${expectedIssuer ?? ""} ${url.href}`
  const known = documents.of(fetchOf(provider))
  const metadata = await known.get(key, nowMs, () => fetchMetadata(provider, url, expectedIssuer))
  assertIssuer(provider, metadata.issuer)
  return { metadata, url, forget: () => known.forget(key) }
}

function getDocumentUrl({ wellKnown, issuer }: ResolvedOAuthProvider): URL {
  if (wellKnown !== undefined) return parseEndpoint(wellKnown, "discovery")
  if (issuer === undefined) {
    throw new ProviderError("The provider has neither an issuer nor all of its endpoints", { code: "no-endpoints" })
  }
  return parseEndpoint(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, "discovery")
}

async function fetchMetadata(
  provider: ResolvedOAuthProvider,
  url: URL,
  expectedIssuer: string | undefined,
): Promise<AuthorizationServer> {
  const response = await createProviderFetch(provider, "discovery")(url.href)
  const expected = expectedIssuer ?? (await parseIssuer(response.clone()))
  return processDiscoveryResponse(parseEndpoint(expected, "discovery"), response)
}

/** The document's own word, where the issuer is judged otherwise or the host named nothing but the document. */
async function parseIssuer(response: Response): Promise<string> {
  const document = parseJson(await response.text())
  if (isObject(document) && typeof document["issuer"] === "string") return document["issuer"]
  throw new ProviderError("The discovery document names no issuer", {
    code: "no-issuer",
    endpoint: "discovery",
    status: response.status,
  })
}

function assertIssuer({ isIssuer, issuer }: ResolvedOAuthProvider, found: string): void {
  if (!isIssuer || found === issuer || isIssuer(found, {})) return
  throw new ProviderError("The discovery document is of another issuer", {
    code: "wrong-issuer",
    endpoint: "discovery",
  })
}
