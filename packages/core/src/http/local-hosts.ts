import type { LocalHosts } from "../types/resolved.js"
import { isLocalAddress } from "./client-address.js"
import { isLoopbackHost } from "./ip-address.js"

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
