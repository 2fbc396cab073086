import { toHex } from "../../crypto/encoding.js"
import { WebAuthnVerificationError } from "../../errors/errors.js"

/** An attestation statement with certificates has four levels. */
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
 * Finds the end of the CBOR item that begins at `start`, without decoding it. A decoder then only gets items that are
 * complete, shallow and in the canonical encoding of CTAP 2, section 8.
 * @throws WebAuthnVerificationError
 * @internal Exported for its tests.
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
      throw refused("tags are not allowed")
    default:
      return next
  }
}

/** @throws WebAuthnVerificationError unless the bytes are exactly one item */
export function assertSingleItem(bytes: Uint8Array): void {
  if (findItemEnd(bytes, 0) !== bytes.length) throw refused("bytes after the end")
}

function findItemsEnd(
  bytes: Uint8Array,
  start: number,
  { count, depth }: { readonly count: number; readonly depth: number },
): number {
  // Each item has at least one byte, so a large count is rejected at once.
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
  if (short > 27) throw refused("indefinite lengths are not allowed")
  const length = 2 ** (short - 24)
  const next = assertWithin(bytes, start + 1 + length)
  const argument = bytes.slice(start + 1, next).reduce((value, byte) => value * 256 + byte, 0)
  const least = short === 24 ? 24 : 2 ** (length * 4)
  if (type !== major.simple && argument < least) throw refused("a number is not in its shortest form")
  return { type, argument, next }
}

function assertWithin(bytes: Uint8Array, end: number): number {
  if (end > bytes.length) throw refused("ends too early")
  return end
}

function refused(reason: string): WebAuthnVerificationError {
  return new WebAuthnVerificationError(`CBOR: ${reason}`)
}

/** Authenticator data, WebAuthn level 3, section 6.1: the fields that the library does not check. */
export interface AuthenticatorData {
  readonly isUserVerified: boolean
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly counter: number
  /** Null unless a credential was created. */
  readonly credential: AttestedCredential | null
}

export interface AttestedCredential {
  /** The model of the authenticator, as a UUID. */
  readonly aaguid: string
  readonly id: Uint8Array<ArrayBuffer>
  /** COSE key, RFC 9052 section 7. */
  readonly publicKey: Uint8Array<ArrayBuffer>
}

const flags = {
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedCredential: 0x40,
  extensions: 0x80,
} as const

/** Bytes of the hash, the flags and the counter; then of the AAGUID and the id's length. */
const headLength = 37
const credentialHeadLength = 18

/** WebAuthn level 3, section 7.1 (size of the credential id). */
const maxIdLength = 1023

/** @throws WebAuthnVerificationError when the data is malformed, inconsistent, or followed by more bytes */
export function parseAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): AuthenticatorData {
  if (bytes.length < headLength) throw new WebAuthnVerificationError("authenticatorData: too short")
  const set = bytes[32] ?? 0
  const isBackupEligible = (set & flags.backupEligible) !== 0
  const isBackedUp = (set & flags.backedUp) !== 0
  if (isBackedUp && !isBackupEligible) {
    throw new WebAuthnVerificationError("authenticatorData: backed up (BS) but not eligible for backup (BE)")
  }
  const attested =
    (set & flags.attestedCredential) !== 0 ? parseCredential(bytes) : { credential: null, end: headLength }
  const end = (set & flags.extensions) !== 0 ? findItemEnd(bytes, attested.end) : attested.end
  if (end !== bytes.length) throw new WebAuthnVerificationError("authenticatorData: bytes after the end")
  const counter = new DataView(bytes.buffer, bytes.byteOffset).getUint32(33)
  const isUserVerified = (set & flags.userVerified) !== 0
  return { isUserVerified, isBackupEligible, isBackedUp, counter, credential: attested.credential }
}

function parseCredential(bytes: Uint8Array<ArrayBuffer>): {
  readonly credential: AttestedCredential
  readonly end: number
} {
  const idStart = headLength + credentialHeadLength
  if (bytes.length < idStart) throw new WebAuthnVerificationError("authenticatorData: too short for a credential")
  const idEnd = idStart + new DataView(bytes.buffer, bytes.byteOffset).getUint16(idStart - 2)
  const isSized = idEnd > idStart && idEnd - idStart <= maxIdLength
  if (!isSized) throw new WebAuthnVerificationError(`credential id: must have 1 to ${maxIdLength} bytes`)
  const end = findItemEnd(bytes, idEnd)
  const aaguid = toUuid(bytes.slice(headLength, headLength + 16))
  return { credential: { aaguid, id: bytes.slice(idStart, idEnd), publicKey: bytes.slice(idEnd, end) }, end }
}

function toUuid(bytes: Uint8Array<ArrayBuffer>): string {
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/**
 * Whether bytes are an ECDSA signature in DER (X.690): one sequence of two positive integers in their shortest form. A
 * signature has exactly one encoding, so it is not malleable.
 */
export function isDerSignature(bytes: Uint8Array): boolean {
  const start = bytes[1] === 0x81 ? 3 : 2
  const length = bytes[start - 1] ?? 0
  const isShortest = start === 2 ? length < 128 : length >= 128
  if (bytes[0] !== 0x30 || !isShortest || start + length !== bytes.length) return false
  const second = findIntegerEnd(bytes, start)
  return second !== null && findIntegerEnd(bytes, second) === bytes.length
}

/** The end of a positive integer in its shortest form, or null. */
function findIntegerEnd(bytes: Uint8Array, start: number): number | null {
  const [tag, length = 0, first = 0, second = 0] = bytes.slice(start, start + 4)
  const end = start + 2 + length
  if (tag !== 0x02 || length === 0 || length > 127 || end > bytes.length) return null
  const isNegative = first >= 128
  const isPadded = first === 0 && length > 1 && second < 128
  return isNegative || isPadded ? null : end
}

/** Labels of a COSE key, RFC 9053 section 7. */
const label = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2, pub: -1 } as const

interface KeyShape {
  readonly kty: number
  readonly crv?: number
  /** Bytes of each coordinate. */
  readonly size?: number
}

const ec = (crv: number, size: number): KeyShape => ({ kty: 2, crv, size })
const rsa: KeyShape = { kty: 3 }
const akp: KeyShape = { kty: 7 }

/** The key of each algorithm: WebAuthn level 3, section 5.8.5, RFC 9053 and RFC 8812; ML-DSA by its draft. */
const shapes: ReadonlyMap<number, KeyShape> = new Map([
  [-7, ec(1, 32)],
  [-35, ec(2, 48)],
  [-36, ec(3, 66)],
  [-8, { kty: 1, crv: 6, size: 32 }],
  ...[-37, -38, -39, -257, -258, -259].map((alg): [number, KeyShape] => [alg, rsa]),
  ...[-48, -49, -50].map((alg): [number, KeyShape] => [alg, akp]),
])

/** RSA key sizes: the least by NIST SP 800-131A revision 2, section 3; the most keeps verification cheap. */
const modulusBytes = { least: 256, most: 1024 } as const
const maxExponentBytes = 8

type CoseKey = ReadonlyMap<unknown, unknown>

/** Types a key that the library decoded: a map with numeric labels. */
export function toCoseKey(decoded: { get(label: never): unknown }): CoseKey {
  // The library's type has a few labels only. At run time it is a `Map`.
  return decoded as unknown as CoseKey
}

export function algorithmOf(key: CoseKey): number | undefined {
  const alg = key.get(label.alg)
  return typeof alg === "number" ? alg : undefined
}

/** Whether the algorithm's signatures are an ASN.1 sequence, WebAuthn level 3, section 6.5.5. */
export function isSignatureDer(alg: number | undefined): boolean {
  return alg !== undefined && shapes.get(alg)?.kty === 2
}

/**
 * Checks that the key's algorithm was offered (WebAuthn level 3, section 7.1) and that the key fits it.
 * @throws WebAuthnVerificationError
 */
export function assertKeyFits(key: CoseKey, offered: readonly number[]): void {
  const alg = algorithmOf(key)
  const shape = alg === undefined ? undefined : shapes.get(alg)
  if (alg === undefined || !shape || !offered.includes(alg)) {
    throw new WebAuthnVerificationError("credential key: the algorithm was not offered")
  }
  if (key.get(label.kty) !== shape.kty)
    throw new WebAuthnVerificationError("credential key: wrong type for its algorithm")
  if (shape.crv !== undefined && key.get(label.crv) !== shape.crv) {
    throw new WebAuthnVerificationError("credential key: wrong curve for its algorithm")
  }
  if (!hasRightSizes(key, shape)) throw new WebAuthnVerificationError("credential key: a component has the wrong size")
}

function hasRightSizes(key: CoseKey, { kty, size }: KeyShape): boolean {
  if (kty === rsa.kty) {
    const [modulus, exponent] = [sizeOf(key, label.n), sizeOf(key, label.e)]
    return modulus >= modulusBytes.least && modulus <= modulusBytes.most && exponent > 0 && exponent <= maxExponentBytes
  }
  if (size === undefined) return sizeOf(key, label.pub) > 0
  return sizeOf(key, label.x) === size && (kty !== 2 || sizeOf(key, label.y) === size)
}

function sizeOf(key: CoseKey, name: number): number {
  const part = key.get(name)
  return part instanceof Uint8Array ? part.length : 0
}
