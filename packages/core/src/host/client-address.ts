import { AuthError } from "../errors/auth-error.js"
import { threwIn } from "../errors/failure-reason.js"
import { isForwarded, isLocal } from "../http/client-address.js"
import { bitsOf, type IpAddress, type IpRange, isInRange, parseIpAddress } from "../http/ip-address.js"
import { type AuthRequest, toBodilessRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import type { AuthConfig } from "../types/config.js"
import type { AuthContext, IncomingHeaders } from "../types/http.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { toCleanError } from "./callbacks.js"

/** A request whose sender is looked for. */
export type SentRequest = Pick<AuthRequest, "headers" | "url" | "method" | "context">

/** Finds the client's address: by the app's `clientAddress`, else by the connection and `trustedProxies`. */
export function createFindClient(
  { trustedProxies, clientAddress }: Pick<ResolvedConfig, "trustedProxies" | "clientAddress">,
  log: Log,
): (request: SentRequest) => Client {
  const ranges = trustedProxies.flatMap((text) => parseIpRange(text) ?? [])
  return (request) => {
    if (!clientAddress) return findClient(request.headers, request.context, ranges)
    const address = parseIpAddress(callHost(clientAddress, request, log) ?? "")
    return address ? { address } : { address: null, reason: "no-address" }
  }
}

function callHost(
  clientAddress: NonNullable<AuthConfig["clientAddress"]>,
  request: SentRequest,
  log: Log,
): string | undefined {
  try {
    const address: unknown = clientAddress(toBodilessRequest(request))
    if (typeof address === "string") return address.trim()
    // Functions in JavaScript may return a promise, whose rejection would end the process.
    void Promise.resolve(address).catch(() => {})
    if (address === undefined || address === null) return undefined
    throw new TypeError("It must return text or undefined")
  } catch (error) {
    // Sign-ins must not depend on the address.
    void toCleanError(error, [request.url, request.headers]).then((err) =>
      log.error(new AuthError("clientAddress failed", threwIn("clientAddress", err)), request),
    )
    return undefined
  }
}

/** The verified address of the client, or why there is none. */
export type Client =
  | { readonly address: IpAddress }
  | { readonly address: null; readonly reason: "no-address" | "unnamed-proxy" | "every-proxy" }

const unknown: Client = { address: null, reason: "no-address" }
const behindProxy: Client = { address: null, reason: "unnamed-proxy" }
const behindAnyone: Client = { address: null, reason: "every-proxy" }

/**
 * Finds the client's address. Forwarding headers are read from the right, while trusted proxies wrote the entries;
 * the first address that is not a trusted proxy is the client's (RFC 7239 section 7.5).
 * @internal Exported for its tests.
 */
export function findClient(headers: IncomingHeaders, context: AuthContext, trustedProxies: readonly IpRange[]): Client {
  const peer = context.clientAddress === undefined ? null : parseIpAddress(context.clientAddress)
  if (!peer) return unknown
  if (context.isForwarded) return { address: peer }
  if (isTrusted(peer, trustedProxies)) return walk(readForwarded(headers) ?? [], peer, trustedProxies)
  // A local peer that forwards is a proxy missing from the configuration. All clients would share its address.
  const isUnnamedProxy = trustedProxies.length === 0 && isForwarded(headers) && isLocal(peer)
  if (!isUnnamedProxy) return { address: peer }
  return context.trustsEveryProxy ? behindAnyone : behindProxy
}

function walk(chain: ForwardedChain, peer: IpAddress, trustedProxies: readonly IpRange[]): Client {
  const client = chain.findLastIndex((address) => address === null || !isTrusted(address, trustedProxies))
  // If all are trusted proxies, the first of them sent the request itself.
  const address = client === -1 ? (chain[0] ?? peer) : chain[client]
  return address ? { address } : unknown
}

function isTrusted(address: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some((range) => isInRange(address, range))
}

/**
 * The peer of each proxy that the request passed, in order; null for an entry that is not an address.
 */
type ForwardedChain = readonly (IpAddress | null)[]

/**
 * Reads `X-Forwarded-For` and `Forwarded` (RFC 7239); null if both are missing. A proxy that writes one of them passes
 * the other on as the client sent it, so if both are present they must agree; otherwise the chain is empty.
 */
function readForwarded(headers: IncomingHeaders): ForwardedChain | null {
  const xForwardedFor = headers.get("x-forwarded-for")
  const forwarded = headers.get("forwarded")
  const first = xForwardedFor === null ? null : xForwardedFor.split(",").map((entry) => parseNode(entry.trim()))
  const second = forwarded === null ? null : forwarded.split(",").map(parseElement)
  if (first === null || second === null) return first ?? second
  return hasSameEnd(first, second) ? first : []
}

/** Compares as many entries as the shorter one has, because the first proxies may write only one of the headers. */
function hasSameEnd(one: ForwardedChain, other: ForwardedChain): boolean {
  const length = Math.min(one.length, other.length)
  const twins = other.slice(-length)
  return one.slice(-length).every((address, index) => {
    const twin = twins[index]
    return address?.value === twin?.value && address?.version === twin?.version
  })
}

/**
 * Parses an element of `Forwarded`, RFC 7239 section 4. A comma separates elements even within quotes: no address
 * contains one, and an open quote of the client must not swallow the entries of the proxies.
 */
function parseElement(element: string): IpAddress | null {
  const [, quoted, plain] = /(?:^|;)\s*for=(?:"([^"\\]*)"|([^;,"\s]*))\s*(?:;|$)/i.exec(element.trim()) ?? []
  return parseNode(quoted ?? plain ?? "")
}

/**
 * Parses an address with an optional port: `192.0.2.1:80`, `[2001:db8::1]:80`. Null for `unknown` and `_hidden`
 * (RFC 7239 section 6).
 */
function parseNode(node: string): IpAddress | null {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node) ?? []
  if (bracketed !== undefined) return bracketed.includes(":") ? parseIpAddress(bracketed) : null
  return parseIpAddress(node.replace(/^([\d.]+):\d{1,5}$/, "$1"))
}

/** Parses an address or a range: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. Null if it is invalid. */
export function parseIpRange(text: string): IpRange | null {
  const [address = "", length, ...rest] = text.split("/")
  const start = parseIpAddress(address)
  if (!start || rest.length > 0) return null
  if (length === undefined) return { start, prefixLength: bitsOf[start.version] }
  if (!/^\d{1,3}$/.test(length)) return null
  // The length in `::ffff:192.0.2.0/120` counts the bits of the IPv6 address.
  const prefixLength = Number(length) - (start.version === 4 && address.includes(":") ? 96 : 0)
  return prefixLength >= 0 && prefixLength <= bitsOf[start.version] ? { start, prefixLength } : null
}
