import type { AuthContext, IncomingHeaders } from "../types/http.js"

/** Where a request came from, as far as it can be believed. */
export type Client =
  | { readonly address: IpAddress }
  | { readonly address: null; readonly reason: "no-address" | "unnamed-proxy" }

const unknown: Client = { address: null, reason: "no-address" }
const behindProxy: Client = { address: null, reason: "unnamed-proxy" }

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

/**
 * One address for each proxy that the request passed, the last one's peer at the end; null where one did not say an
 * address.
 */
type ForwardedChain = readonly (IpAddress | null)[]

/** Whether somebody says that the request came through a proxy. Anybody can say that. */
export function isForwarded(headers: IncomingHeaders): boolean {
  return headers.has("x-forwarded-for") || headers.has("forwarded")
}

/**
 * What `X-Forwarded-For` or `Forwarded` (RFC 7239) say, null when neither is there. A proxy that writes one of them
 * passes the other on as the visitor sent it; so where there are both, each has to say the same. Otherwise nothing is
 * believed, and the chain is empty.
 */
function readForwarded(headers: IncomingHeaders): ForwardedChain | null {
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

/** An address as a number. An IPv4 address in IPv6 clothes is an IPv4 address. */
export interface IpAddress {
  readonly version: 4 | 6
  readonly value: bigint
}

/** Leading bits that two addresses have in common. */
export interface IpRange {
  readonly start: IpAddress
  readonly prefixLength: number
}

const bitsOf = { 4: 32, 6: 128 } as const

/**
 * Prefixes of 96 bits that an IPv4 address stands behind: mapped (RFC 4291 section 2.5.5.2), translated (RFC 6052
 * section 2.1).
 */
const embeddings: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n]

const v4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const zonePattern = /%[\da-z.:-]+$/i
const v6Pattern = /^[\da-f:]+(?:(?:\d+\.){3}\d+)?$/i

/** Characters: an address with a zone is shorter. */
const maxLength = 80

/** Addresses of this machine and of private networks: RFC 1122, RFC 1918, RFC 4193, RFC 4291, RFC 6598. */
const localRanges: readonly IpRange[] = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]
  .concat(["100.64.0.0/10", "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10"])
  .flatMap((text) => parseIpRange(text) ?? [])

/** Null when the text is no address. A zone (`%eth0`, RFC 4007 section 11) is left out. */
export function parseIpAddress(text: string): IpAddress | null {
  if (text.length > maxLength) return null
  if (v4Pattern.test(text)) return { version: 4, value: toNumber(text.split(".").map(Number), 8n) }
  const address = text.replace(zonePattern, "")
  if (!address.includes(":") || !v6Pattern.test(address)) return null
  // The URL parser knows every spelling of RFC 4291 section 2.2, and has one for them all.
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  return canonical === undefined ? null : unwrap(toNumber(expand(canonical), 16n))
}

/** `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. Null when the text is neither an address nor a range. */
export function parseIpRange(text: string): IpRange | null {
  const [address = "", length, ...rest] = text.split("/")
  const start = parseIpAddress(address)
  if (!start || rest.length > 0) return null
  if (length === undefined) return { start, prefixLength: bitsOf[start.version] }
  if (!/^\d{1,3}$/.test(length)) return null
  // `::ffff:192.0.2.0/120` is written with the bits of an IPv6 address.
  const prefixLength = Number(length) - (start.version === 4 && address.includes(":") ? 96 : 0)
  return prefixLength >= 0 && prefixLength <= bitsOf[start.version] ? { start, prefixLength } : null
}

export function isInRange(address: IpAddress, { start, prefixLength }: IpRange): boolean {
  if (address.version !== start.version) return false
  const shift = BigInt(bitsOf[start.version] - prefixLength)
  return address.value >> shift === start.value >> shift
}

/** Whether the text is an address of this machine: RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && (address.version === 4 ? address.value >> 24n === 127n : address.value === 1n)
}

/**
 * The network whose holder is taken for one visitor: an IPv4 address; of an IPv6 address the first 64 bits, since each
 * host may choose the rest (RFC 4291 section 2.5.1).
 */
export function toNetwork({ version, value }: IpAddress): string {
  return version === 4 ? `4-${value.toString(16)}` : `6-${(value >> 64n).toString(16)}`
}

function toNumber(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n)
}

/** The eight groups of a canonical IPv6 address. */
function expand(canonical: string): readonly number[] {
  const [head = "", tail] = canonical.split("::").map((side) => (side === "" ? [] : side.split(":")))
  const groups = [...head, ...Array<string>(8 - head.length - (tail?.length ?? 0)).fill("0"), ...(tail ?? [])]
  return groups.map((group) => Number.parseInt(group, 16))
}

function unwrap(value: bigint): IpAddress {
  const isEmbedded = embeddings.includes(value >> 32n)
  return isEmbedded ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value }
}
