import type { AuthContext, IncomingHeaders } from "../types/http.js"
import type { LocalHosts } from "../types/resolved.js"
import { type IpAddress, type IpRange, isInRange, isLoopbackHost, parseIpAddress } from "./ip-address.js"

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
 */
export function findClient(headers: IncomingHeaders, context: AuthContext, trustedProxies: readonly IpRange[]): Client {
  const peer = context.clientAddress === undefined ? null : parseIpAddress(context.clientAddress)
  if (!peer) return unknown
  if (context.isForwarded) return { address: peer }
  if (isTrusted(peer, trustedProxies)) return walk(readForwarded(headers) ?? [], peer, trustedProxies)
  // A local peer that forwards is a proxy missing from the configuration. All clients would share its address.
  const isUnnamedProxy = trustedProxies.length === 0 && isForwarded(headers) && isTrusted(peer, localRanges)
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

/** Whether the request has a forwarding header. Any client can send one. */
export function isForwarded(headers: IncomingHeaders): boolean {
  return headers.has("x-forwarded-for") || headers.has("forwarded")
}

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

const v4 = (value: bigint, prefixLength: number): IpRange => ({ start: { version: 4, value }, prefixLength })
const v6 = (value: bigint, prefixLength: number): IpRange => ({ start: { version: 6, value }, prefixLength })

/**
 * Loopback, link-local and private addresses: RFC 1122, RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598. As numbers,
 * because parsing them would take a tenth of the first sign-in page of a process.
 */
const localRanges: readonly IpRange[] = [
  v4(0x7f00_0000n, 8), // 127.0.0.0
  v4(0x0a00_0000n, 8), // 10.0.0.0
  v4(0xac10_0000n, 12), // 172.16.0.0
  v4(0xc0a8_0000n, 16), // 192.168.0.0
  v4(0x6440_0000n, 10), // 100.64.0.0
  v4(0xa9fe_0000n, 16), // 169.254.0.0
  v6(1n, 128), // ::1
  v6(0xfc00n << 112n, 7), // fc00::
  v6(0xfe80n << 112n, 10), // fe80::
]

/** Whether the text is an address of this machine or of a private network, where proxies stand in front of a server. */
export function isLocalAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && isTrusted(address, localRanges)
}

/**
 * Whether the host of a URL is one of this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3), or of its network:
 * a private address, or a name of multicast DNS (RFC 6762 section 3). A link to such a host in a mail does not lead to
 * the server of an attacker on the internet.
 */
export function isLocalHost(hostname: string, hosts: LocalHosts): boolean {
  if (isLoopbackHost(hostname) || hostname.endsWith(".localhost")) return true
  if (hosts === "loopback") return false
  return hostname.endsWith(".local") || isLocalAddress(hostname.replace(/^\[|\]$/g, ""))
}
