import { type AuthorizationServer, processDiscoveryResponse } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { CacheByFetch } from "./document-cache.js"
import { parseEndpoint } from "./endpoint-address.js"
import { isObject, parseJson } from "./json-object.js"
import { ProviderError } from "./provider-error.js"
import { createProviderFetch, fetchOf } from "./provider-fetch.js"

const documents = new CacheByFetch<AuthorizationServer>({ maxAgeMs: 60 * 60 * 1000 })

export interface DiscoveredServer {
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
export async function discover(provider: ResolvedOAuthProvider, nowMs: number): Promise<DiscoveredServer> {
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
