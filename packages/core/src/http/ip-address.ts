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

/** The length of an address, by its version. */
export const bitsOf: { readonly 4: 32; readonly 6: 128 } = { 4: 32, 6: 128 }

/**
 * Prefixes of 96 bits before an embedded IPv4 address: mapped (RFC 4291 section 2.5.5.2), translated (RFC 6052
 * section 2.1).
 */
const embeddings: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n]

const v4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const zonePattern = /%[\da-z.:-]+$/i
const v6Pattern = /^[\da-f:]*(?:[\da-f:]|:(?:\d+\.){3}\d+)$/i

/** Characters. An address with a zone is shorter. */
const maxLength = 80

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

/** Whether an address is in a range. */
export function isInRange(address: IpAddress, { start, prefixLength }: IpRange): boolean {
  if (address.version !== start.version) return false
  const shift = BigInt(bitsOf[start.version] - prefixLength)
  return address.value >> shift === start.value >> shift
}

/** Whether a URL's host is this machine: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Whether the text is a loopback address: RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseIpAddress(text)
  return address !== null && (address.version === 4 ? address.value >> 24n === 127n : address.value === 1n)
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
