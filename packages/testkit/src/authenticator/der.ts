import { type Bytes, join } from "./bytes.js"

/**
 * An ECDSA signature of Web Crypto (two numbers of one size) as devices write it: an ASN.1 sequence of two integers.
 */
export function toDerSignature(raw: Uint8Array): Bytes {
  const half = raw.length / 2
  const content = join(toInteger(raw.slice(0, half)), toInteger(raw.slice(half)))
  return join(Uint8Array.of(0x30, content.length), content)
}

function toInteger(bytes: Uint8Array): Bytes {
  const start = bytes.findIndex((byte) => byte !== 0)
  const significant = start < 0 ? Uint8Array.of(0) : bytes.slice(start)
  const isHigh = (significant[0] ?? 0) >= 128
  return join(
    Uint8Array.of(0x02, significant.length + (isHigh ? 1 : 0)),
    Uint8Array.of(...(isHigh ? [0] : [])),
    significant,
  )
}
