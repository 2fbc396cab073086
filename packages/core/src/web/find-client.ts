import type { AuthContext } from "../contract/context.js"
import type { IncomingHeaders } from "../contract/incoming-request.js"
import { type ForwardedChain, isForwarded, readForwarded } from "./forwarded.js"
import { type IpAddress, type IpRange, isInRange, parseIpAddress, parseIpRange } from "./ip-address.js"

/** Where a request came from, as far as it can be believed. */
export type Client =
  | { readonly address: IpAddress }
  | { readonly address: null; readonly reason: "no-address" | "unnamed-proxy" }

const unknown: Client = { address: null, reason: "no-address" }
const behindProxy: Client = { address: null, reason: "unnamed-proxy" }

/** Addresses of this machine and of private networks: RFC 1122, RFC 1918, RFC 4193, RFC 4291, RFC 6598. */
const localRanges: readonly IpRange[] = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]
  .concat(["100.64.0.0/10", "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10"])
  .flatMap((text) => parseIpRange(text) ?? [])

/**
 * The visitor's address. Forwarding headers are read from the right, each entry only because a trusted proxy wrote it;
 * the first address that is no trusted proxy's is the visitor's (RFC 7239 section 7.5).
 */
export function findClient(headers: IncomingHeaders, context: AuthContext, trustedProxies: readonly IpRange[]): Client {
  const peer = context.clientAddress === undefined ? null : parseIpAddress(context.clientAddress)
  if (!peer) return unknown
  if (context.isForwarded) return { address: peer }
  if (isTrusted(peer, trustedProxies)) return walk(readForwarded(headers) ?? [], peer, trustedProxies)
  // A neighbour that forwards is a proxy that nobody named. Its address is that of every visitor, and so of none.
  const isUnnamedProxy = trustedProxies.length === 0 && isForwarded(headers) && isTrusted(peer, localRanges)
  return isUnnamedProxy ? behindProxy : { address: peer }
}

function walk(chain: ForwardedChain, peer: IpAddress, trustedProxies: readonly IpRange[]): Client {
  const visitor = chain.findLastIndex((address) => address === null || !isTrusted(address, trustedProxies))
  // All of them are ours: the request began at the first of them.
  const address = visitor === -1 ? (chain[0] ?? peer) : chain[visitor]
  return address ? { address } : unknown
}

function isTrusted(address: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some((range) => isInRange(address, range))
}
