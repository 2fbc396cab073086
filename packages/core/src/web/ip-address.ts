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
