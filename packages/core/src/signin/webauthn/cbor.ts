import { WebAuthnVerificationError } from "../../errors/sign-in.js"

/** An attestation statement with certificates is nested four deep. */
const maxDepth = 8

/** First byte: three bits of type, five of argument. RFC 8949 section 3. */
const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const

interface Head {
  readonly type: number
  readonly argument: number
  /** The first byte after the head. */
  readonly next: number
}

/**
 * Where the CBOR item that begins at `start` ends. Nothing is built of it: what is refused here costs no memory, and
 * what a decoder gets afterwards is whole, shallow, and written in the one way that devices write it (CTAP 2, section
 * 8).
 * @throws WebAuthnVerificationError
 */
export function findItemEnd(bytes: Uint8Array, start: number, depth = 0): number {
  if (depth > maxDepth) throw refused(`nested deeper than ${maxDepth} levels`)
  const { type, argument, next } = readHead(bytes, start)
  switch (type) {
    case major.bytes:
    case major.text:
      return assertWithin(bytes, next + argument)
    case major.array:
      return findItemsEnd(bytes, next, { count: argument, depth })
    case major.map:
      return findItemsEnd(bytes, next, { count: argument * 2, depth })
    case major.tag:
      throw refused("tags are not used here")
    default:
      return next
  }
}

/** @throws WebAuthnVerificationError unless the bytes are one item and nothing else */
export function assertSingleItem(bytes: Uint8Array): void {
  if (findItemEnd(bytes, 0) !== bytes.length) throw refused("there are bytes after its end")
}

function findItemsEnd(
  bytes: Uint8Array,
  start: number,
  { count, depth }: { readonly count: number; readonly depth: number },
): number {
  // Each item has a byte at least: a large count costs nothing.
  assertWithin(bytes, start + count)
  let end = start
  for (let index = 0; index < count; index++) end = findItemEnd(bytes, end, depth + 1)
  return end
}

function readHead(bytes: Uint8Array, start: number): Head {
  assertWithin(bytes, start + 1)
  const first = bytes[start] ?? 0
  const type = first >> 5
  const short = first & 31
  if (short < 24) return { type, argument: short, next: start + 1 }
  if (short > 27) throw refused("indefinite lengths are not used here")
  const length = 2 ** (short - 24)
  const next = assertWithin(bytes, start + 1 + length)
  const argument = bytes.slice(start + 1, next).reduce((value, byte) => value * 256 + byte, 0)
  const least = short === 24 ? 24 : 2 ** (length * 4)
  if (type !== major.simple && argument < least) throw refused("a number is written longer than it needs to be")
  return { type, argument, next }
}

function assertWithin(bytes: Uint8Array, end: number): number {
  if (end > bytes.length) throw refused("it ends too early")
  return end
}

function refused(reason: string): WebAuthnVerificationError {
  return new WebAuthnVerificationError(`CBOR: ${reason}`)
}
