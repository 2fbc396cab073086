import { isLoopbackHost } from "../http/client-address.js"
import { type EndpointKind, ProviderError } from "./errors.js"

/**
 * Whether a URL's host looks private: a local name or a special-purpose address (RFC 6890). Names are not resolved.
 * @internal Exported for its test.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "")
  if (/(^|\.)(localhost|local|internal)$/.test(host)) return true
  if (host.startsWith("[")) return isPrivateV6(host.slice(1, -1))
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && isPrivateV4(host.split(".").map(Number))
}

function isPrivateV4([first = 0, second = 0]: readonly number[]): boolean {
  if (first === 0 || first === 10 || first === 127 || first >= 224) return true
  if (first === 100) return second >= 64 && second <= 127
  if (first === 169) return second === 254
  if (first === 172) return second >= 16 && second <= 31
  if (first === 192) return second === 168 || second === 0
  return first === 198 && (second === 18 || second === 19)
}

function isPrivateV6(address: string): boolean {
  if (address === "::" || address === "::1") return true
  if (/^(f[cd]|fe[89ab]|ff)/.test(address)) return true
  // An embedded IPv4 address: mapped (RFC 4291 section 2.5.5.2) or translated (RFC 6052 section 2.1).
  const embedded = /^(?:::ffff:|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/.exec(address)
  if (embedded === null) return false
  const high = Number.parseInt(embedded[1] ?? "0", 16)
  return isPrivateV4([high >> 8, high & 255])
}

export interface AddressPolicy {
  readonly endpoint: EndpointKind
  /** Allows plain http. Default: false. */
  readonly allowInsecureRequests?: boolean | undefined
}

/** Requires https, except for plain http to this machine or if the host allowed it. */
export function assertSecureUrl(url: URL, { endpoint, allowInsecureRequests }: AddressPolicy): void {
  if (url.protocol === "https:") return
  if (url.protocol === "http:" && (allowInsecureRequests === true || isLoopbackHost(url.hostname))) return
  throw refusal(`The ${endpoint} endpoint must be https: ${url.protocol}//${url.hostname}`, endpoint)
}

/**
 * Rejects endpoints that a discovery document must not name: a private address in a document from a public one, and
 * plain http in a document that came over https.
 */
export function assertDiscoveredUrl(url: URL, documentUrl: URL, policy: AddressPolicy): void {
  assertSecureUrl(url, policy)
  if (url.protocol !== "https:" && documentUrl.protocol === "https:") {
    throw refusal(`The discovery document names a plain http ${policy.endpoint} endpoint`, policy.endpoint)
  }
  if (isPrivateHost(url.hostname) && !isPrivateHost(documentUrl.hostname)) {
    throw refusal(`The discovery document names a private address as its ${policy.endpoint} endpoint`, policy.endpoint)
  }
}

/** @throws ProviderError unless the text is an absolute URL */
export function parseEndpoint(text: string, endpoint: EndpointKind): URL {
  if (!URL.canParse(text)) throw refusal(`The address of the ${endpoint} endpoint is not a URL`, endpoint)
  return new URL(text)
}

function refusal(message: string, endpoint: EndpointKind): ProviderError {
  return new ProviderError(message, { code: "address-refused", endpoint })
}
