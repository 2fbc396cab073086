import type { IncomingHeaders } from "../contract/incoming-request.js"
import { type IpAddress, parseIpAddress } from "./ip-address.js"

/**
 * One address for each proxy that the request passed, the last one's peer at the end; null where one did not say an
 * address.
 */
export type ForwardedChain = readonly (IpAddress | null)[]

/** Whether somebody says that the request came through a proxy. Anybody can say that. */
export function isForwarded(headers: IncomingHeaders): boolean {
  return headers.has("x-forwarded-for") || headers.has("forwarded")
}

/**
 * What `X-Forwarded-For` or `Forwarded` (RFC 7239) say, null when neither is there. A proxy that writes one of them
 * passes the other on as the visitor sent it; so where there are both, each has to say the same. Otherwise nothing is
 * believed, and the chain is empty.
 */
export function readForwarded(headers: IncomingHeaders): ForwardedChain | null {
  const common = headers.get("x-forwarded-for")
  const standard = headers.get("forwarded")
  const first = common === null ? null : common.split(",").map((entry) => parseNode(entry.trim()))
  const second = standard === null ? null : standard.split(",").map(parseElement)
  if (first === null || second === null) return first ?? second
  return isSameEnd(first, second) ? first : []
}

/** The proxies may have begun to write at different points, so that the shorter one counts. */
function isSameEnd(one: ForwardedChain, other: ForwardedChain): boolean {
  const length = Math.min(one.length, other.length)
  const twins = other.slice(-length)
  return one.slice(-length).every((address, index) => {
    const twin = twins[index]
    return address?.value === twin?.value && address?.version === twin?.version
  })
}

/**
 * RFC 7239 section 4. A comma parts elements even inside of quotes: no address holds one, and a quote that a visitor
 * left open must not swallow what the proxy wrote behind it.
 */
function parseElement(element: string): IpAddress | null {
  const [, quoted, plain] = /(?:^|;)\s*for=(?:"([^"\\]*)"|([^;,"\s]*))\s*(?:;|$)/i.exec(element.trim()) ?? []
  return parseNode(quoted ?? plain ?? "")
}

/**
 * An address, or one with a port: `192.0.2.1:80`, `[2001:db8::1]:80`. `unknown` and `_hidden` are none (RFC 7239
 * section 6).
 */
function parseNode(node: string): IpAddress | null {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node) ?? []
  if (bracketed !== undefined) return bracketed.includes(":") ? parseIpAddress(bracketed) : null
  return parseIpAddress(node.replace(/^([\d.]+):\d{1,5}$/, "$1"))
}
