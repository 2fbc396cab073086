import type { AuthContext, IncomingHeaders } from "../types/http.js"

/** The verified address of the client, or why there is none. */
export type Client =
  | { readonly address: IpAddress }
  | { readonly address: null; readonly reason: "no-address" | "unnamed-proxy" }

const unknown: Client = { address: null, reason: "no-address" }
const behindProxy: Client = { address: null, reason: "unnamed-proxy" }

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
  return isUnnamedProxy ? behindProxy : { address: peer }
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

/** An IP address as a number. An IPv4 address embedded in IPv6 counts as IPv4. */
export interface IpAddress {
  readonly version: 4 | 6
  readonly value: bigint
}

/** All addresses that share the first `prefixLength` bits with `start`. */
export interface IpRange {
  readonly start: IpAddress
  readonly prefixLength: number
}

const bitsOf = { 4: 32, 6: 128 } as const

/**
 * Prefixes of 96 bits before an embedded IPv4 address: mapped (RFC 4291 section 2.5.5.2), translated (RFC 6052
 * section 2.1).
 */
const embeddings: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n]

const v4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const zonePattern = /%[\da-z.:-]+$/i
const v6Pattern = /^[\da-f:]+(?:(?:\d+\.){3}\d+)?$/i

/** Characters. An address with a zone is shorter. */
const maxLength = 80

/** Loopback, link-local and private addresses: RFC 1122, RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598. */
const localRanges: readonly IpRange[] = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]
  .concat(["100.64.0.0/10", "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10"])
  .flatMap((text) => parseIpRange(text) ?? [])

/** Parses an IP address; null if it is invalid. Drops a zone (`%eth0`, RFC 4007 section 11). */
export function parseIpAddress(text: string): IpAddress | null {
  if (text.length > maxLength) return null
  if (v4Pattern.test(text)) return { version: 4, value: toNumber(text.split(".").map(Number), 8n) }
  const address = text.replace(zonePattern, "")
  if (!address.includes(":") || !v6Pattern.test(address)) return null
  // The URL parser accepts every notation of RFC 4291 section 2.2 and returns one of them.
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  return canonical === undefined ? null : fromIpv6(toNumber(expand(canonical), 16n))
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

/**
 * Whether an address is in a range.
 * @internal Exported for its tests.
 */
export function isInRange(address: IpAddress, { start, prefixLength }: IpRange): boolean {
  if (address.version !== start.version) return false
  const shift = BigInt(bitsOf[start.version] - prefixLength)
  return address.value >> shift === start.value >> shift
}

/** Whether a URL's host is this machine: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Whether the text is an address of this machine or of a private network, where proxies stand in front of a server. */
export function isLocalAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && isTrusted(address, localRanges)
}

/** Whether the text is a loopback address: RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && (address.version === 4 ? address.value >> 24n === 127n : address.value === 1n)
}

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because each host
 * chooses the rest itself (RFC 4291 section 2.5.1).
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

function fromIpv6(value: bigint): IpAddress {
  const isEmbedded = embeddings.includes(value >> 32n)
  return isEmbedded ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value }
}
