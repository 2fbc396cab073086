import { type AuthorizationServer, processDiscoveryResponse } from "oauth4webapi"
import { parseIpRange } from "../host/client-address.js"
import { isLocalAddress } from "../http/client-address.js"
import { isInRange, parseIpAddress } from "../http/ip-address.js"
import type { Log } from "../log/log.js"
import { isRecord, parseJson } from "../runtime/json.js"
import { andThen, rejecting } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { type EndpointKind, ProviderError, toLogText } from "./errors.js"
import {
  type AddressPolicy,
  assertSecureUrl,
  CacheByFetch,
  createProviderFetch,
  fetchOf,
  parseEndpoint,
  refuseAddress,
} from "./fetch.js"

/** An endpoint whose URL is configured or discovered. */
export type NamedEndpoint = Exclude<EndpointKind, "discovery" | "end-session" | "revocation">

/** A provider's authorization server, RFC 8414. */
export interface ProviderServer {
  readonly metadata: AuthorizationServer
  /** False without a known issuer; `metadata.issuer` is then a placeholder. */
  readonly hasIssuer: boolean
}

/** Finds a provider's endpoints. Discovery documents are cached across configurations and requests. */
export interface ProviderEndpoints {
  readonly clock: Clock
  readonly log?: Pick<Log, "debug" | "warnOnce"> | undefined
  /**
   * The provider's endpoints. Configured URLs override the discovery document, which is only fetched if one of `needed`
   * is not configured.
   * @throws ProviderError
   */
  resolve(provider: ResolvedOAuthProvider, needed: readonly NamedEndpoint[]): Awaitable<ProviderServer>
  /**
   * The end-session endpoint in the discovery document. Undefined if there is none: it is optional, and must not fail a
   * sign-in.
   * @throws ProviderError
   */
  findEndSession(provider: ResolvedOAuthProvider): Promise<unknown>
}

/** A provider, its resolved server, and what finds its endpoints. */
export interface ProviderContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly endpoints: ProviderEndpoints
}

interface EndpointOptions {
  /** Default: the system's. */
  readonly clock?: Clock
  readonly log?: Pick<Log, "debug" | "warnOnce">
}

export function createProviderEndpoints({ clock = Date.now, log }: EndpointOptions): ProviderEndpoints {
  const configuredOf = memoize(parseConfigured)
  const serverOf = memoize(toServers)

  function resolve(provider: ResolvedOAuthProvider, needed: readonly NamedEndpoint[]): Awaitable<ProviderServer> {
    const configured = configuredOf(provider)
    if (needed.every((endpoint) => metadataNames[endpoint] in configured))
      return toConfiguredServer(provider, configured)
    return andThen(discover(provider, clock()), (found) => {
      log?.debug("provider metadata", () => ({ provider: provider.id, url: found.url.href }))
      try {
        const server = serverOf(provider)(configured, found)
        assertFound(server, needed)
        return server
      } catch (error) {
        found.forget()
        throw error
      }
    })
  }

  return {
    clock,
    log,
    resolve: (provider, needed) => rejecting(() => resolve(provider, needed)),
    findEndSession: async (provider) => (await discover(provider, clock())).metadata.end_session_endpoint,
  }
}

/**
 * The revocation endpoint in a provider's discovery document. Undefined if there is none: it is optional, and must not fail
 * a sign-in.
 * @throws ProviderError
 */
export async function findRevocation(provider: ResolvedOAuthProvider, clock: Clock): Promise<string | undefined> {
  if (provider.type !== "oidc" && provider.wellKnown === undefined) return undefined
  const { metadata, url } = await discover(provider, clock())
  const address = metadata.revocation_endpoint
  if (typeof address !== "string") return undefined
  assertDiscoveredUrl(parseEndpoint(address, "revocation"), url, { endpoint: "revocation", ...provider.advanced })
  return address
}

/** Computes a value once for each provider object, which never changes. */
function memoize<Value>(
  compute: (provider: ResolvedOAuthProvider) => Value,
): (provider: ResolvedOAuthProvider) => Value {
  const values = new WeakMap<ResolvedOAuthProvider, Value>()
  return (provider) => {
    const known = values.get(provider) ?? compute(provider)
    values.set(provider, known)
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

function parseConfigured(provider: ResolvedOAuthProvider): Addresses {
  const { authorization, token, userinfo, jwks_endpoint, advanced } = provider
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
    assertSecureUrl(parseEndpoint(String(url), endpoint), { endpoint, ...advanced })
    addresses[metadataNames[endpoint]] = String(url)
  }
  return addresses
}

function toConfiguredServer(provider: ResolvedOAuthProvider, configured: Addresses): ProviderServer {
  // The protocol library requires an issuer, but compares it with nothing when the provider has none.
  const placeholder = configured.token_endpoint ?? configured.authorization_endpoint ?? provider.id
  return {
    metadata: { issuer: provider.issuer ?? placeholder, ...configured },
    hasIssuer: provider.issuer !== undefined,
  }
}

/** A provider's server by its discovery document, computed once for each document. */
function toServers(provider: ResolvedOAuthProvider) {
  let last: { readonly document: AuthorizationServer; readonly server: ProviderServer } | undefined
  return (configured: Addresses, found: DiscoveredServer): ProviderServer => {
    if (last?.document === found.metadata) return last.server
    const addresses = { ...parseDiscovered(provider, found, configured), ...configured }
    const server = { metadata: { ...pickUsed(found.metadata), ...addresses }, hasIssuer: true }
    last = { document: found.metadata, server }
    return server
  }
}

function assertFound({ metadata }: ProviderServer, needed: readonly NamedEndpoint[]): void {
  const missing = needed.find((endpoint) => metadata[metadataNames[endpoint]] === undefined)
  if (missing === undefined) return
  throw new ProviderError(`Neither configuration nor discovery names the ${missing} endpoint`, {
    code: "no-endpoints",
    endpoint: missing,
  })
}

function parseDiscovered(
  { advanced }: ResolvedOAuthProvider,
  { metadata, url: documentUrl }: DiscoveredServer,
  configured: Addresses,
): Addresses {
  const addresses: Addresses = {}
  for (const endpoint of namedEndpoints) {
    const name = metadataNames[endpoint]
    const address = metadata[name]
    if (address === undefined || address === null || name in configured) continue
    assertDiscoveredUrl(parseEndpoint(String(address), endpoint), documentUrl, { endpoint, ...advanced })
    addresses[name] = String(address)
  }
  return addresses
}

/**
 * Rejects endpoints that a discovery document must not name: a private address in a document from a public one, plain
 * http in a document that came over https, and a URL with a fragment.
 * @internal Exported for its tests.
 */
export function assertDiscoveredUrl(url: URL, documentUrl: URL, policy: AddressPolicy): void {
  assertSecureUrl(url, policy)
  // RFC 6749 sections 3.1 and 3.2. Hosts may configure a fragment, which WeChat needs.
  if (url.href.includes("#")) {
    throw refuseAddress(
      `The ${policy.endpoint} endpoint in the discovery document must have no fragment`,
      policy.endpoint,
    )
  }
  if (url.protocol !== "https:" && documentUrl.protocol === "https:") {
    throw refuseAddress(`The discovery document names a plain http ${policy.endpoint} endpoint`, policy.endpoint)
  }
  if (isPrivateHost(url.hostname) && !isPrivateHost(documentUrl.hostname)) {
    throw refuseAddress(
      `The discovery document names a private address as its ${policy.endpoint} endpoint`,
      policy.endpoint,
    )
  }
}

/** Special-purpose addresses beside those of private networks: RFC 6890, RFC 5771, RFC 1112, RFC 4291, RFC 3879, RFC 8215. */
const specialRanges =
  "0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 224.0.0.0/3 :: ff00::/8 fec0::/10 64:ff9b:1::/48"

/** Names that only a private network or this machine resolves: RFC 6761, RFC 6762, RFC 8375, and names of one label. */
const privateName = /^[^.:]+$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/**
 * Whether a URL's host looks private: a local name or a special-purpose address. Names are not resolved.
 * @internal Exported for its test.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "")
  if (privateName.test(host) || isLocalAddress(host)) return true
  const address = parseIpAddress(host)
  if (address === null) return false
  // Few hosts are addresses: parsed before, the ranges would take a twentieth of the first page of a process.
  const ranges = specialRanges.split(" ").flatMap((text) => parseIpRange(text) ?? [])
  return ranges.some((range) => isInRange(address, range))
}

const algorithmLists = [
  "authorization_signing_alg_values_supported",
  "id_token_signing_alg_values_supported",
  "userinfo_signing_alg_values_supported",
] as const satisfies readonly (keyof AuthorizationServer)[]

const flags = [
  "authorization_response_iss_parameter_supported",
  "require_pushed_authorization_requests",
] as const satisfies readonly (keyof AuthorizationServer)[]

/** Only the fields that are used, so that nothing else in a document changes how the protocol library behaves. */
function pickUsed(metadata: AuthorizationServer): AuthorizationServer {
  const lists = algorithmLists.filter((name) => metadata[name]).map((name) => [name, metadata[name]] as const)
  const set = flags.filter((name) => metadata[name] === true).map((name) => [name, true] as const)
  return { issuer: metadata.issuer, ...Object.fromEntries([...lists, ...set]) }
}

const documents = new CacheByFetch<AuthorizationServer>({ maxAgeMs: 60 * 60 * 1000 })

interface DiscoveredServer {
  readonly metadata: AuthorizationServer
  /** The URL of the document. */
  readonly url: URL
  /** Makes the next call fetch the document again. */
  readonly forget: () => void
}

/**
 * A provider's metadata, OpenID Connect Discovery 1.0 section 4. Its issuer must be the configured one (section 4.3), or
 * one that the provider's `isIssuer` accepts.
 * @throws ProviderError
 */
function discover(provider: ResolvedOAuthProvider, nowMs: number): Awaitable<DiscoveredServer> {
  const url = documentUrlOf(provider)
  const expectedIssuer = provider.isIssuer ? undefined : provider.issuer
  const key = `${expectedIssuer ?? ""} ${url.href}`
  const cache = documents.of(fetchOf(provider))
  const getting = cache.get(key, nowMs, { load: () => fetchMetadata(provider, url, expectedIssuer) })
  return andThen(getting, (metadata) => {
    assertIssuer(provider, metadata.issuer)
    return { metadata, url, forget: () => cache.forget(key) }
  })
}

/** Parsed once, since each request would take as long for it as for sealing a cookie. */
const documentUrlOf = memoize(getDocumentUrl)

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
  const { status } = response
  if (status !== 200) {
    const message = `The discovery document at ${url.href} was answered with status ${status}`
    throw new ProviderError(message, { code: "refused", endpoint: "discovery", status })
  }
  const found = await parseIssuer(response.clone(), url)
  const expected = parseEndpoint(expectedIssuer ?? found, "discovery")
  if (URL.parse(found)?.href !== expected.href) {
    const message = `The discovery document at ${url.href} names the issuer "${toLogText(found)}", not ${expected.href}`
    throw new ProviderError(message, { code: "wrong-issuer", endpoint: "discovery" })
  }
  return processDiscoveryResponse(expected, response)
}

async function parseIssuer(response: Response, { href }: URL): Promise<string> {
  const text = await response.text()
  const document = parseJson(text)
  if (isRecord(document) && typeof document["issuer"] === "string") return document["issuer"]
  const isPage = text.trimStart().startsWith("<")
  const found = `The discovery document at ${href} ${isPage ? "is a page of HTML" : "names no issuer"}`
  throw new ProviderError(found, {
    code: "no-issuer",
    endpoint: "discovery",
    status: response.status,
  })
}

function assertIssuer({ isIssuer, issuer }: ResolvedOAuthProvider, found: string): void {
  if (!isIssuer || found === issuer || isIssuer(found, {}) === true) return
  throw new ProviderError("The discovery document has another issuer", { code: "wrong-issuer", endpoint: "discovery" })
}
