import type { IncomingHeaders } from "../types/http.js"
import type { LocalHosts } from "../types/resolved.js"
import { type IpAddress, type IpRange, isInRange, isLoopbackHost, parseIpAddress } from "./ip-address.js"

/** Whether the request has a forwarding header. Any client can send one. */
export function isForwarded(headers: IncomingHeaders): boolean {
  return headers.has("x-forwarded-for") || headers.has("forwarded")
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

/** Whether an address is one of this machine or of a private network. */
export function isLocal(address: IpAddress): boolean {
  return localRanges.some((range) => isInRange(address, range))
}

/** Whether the text is an address of this machine or of a private network, where proxies stand in front of a server. */
export function isLocalAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && isLocal(address)
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
