import { WebAuthnVerificationError } from "../../errors/sign-in.js"

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

/** Which key an algorithm takes: WebAuthn level 3, section 5.8.5, RFC 9053 and RFC 8812; ML-DSA by its draft. */
const shapes: ReadonlyMap<number, KeyShape> = new Map([
  [-7, ec(1, 32)],
  [-35, ec(2, 48)],
  [-36, ec(3, 66)],
  [-8, { kty: 1, crv: 6, size: 32 }],
  ...[-37, -38, -39, -257, -258, -259].map((alg): [number, KeyShape] => [alg, rsa]),
  ...[-48, -49, -50].map((alg): [number, KeyShape] => [alg, akp]),
])

/** Of an RSA key. The least is of NIST SP 800-131A revision 2, section 3; the most keeps verifying cheap. */
const modulusBytes = { least: 256, most: 1024 } as const
const maxExponentBytes = 8

type CoseKey = ReadonlyMap<unknown, unknown>

/** A key as the library decodes it: a map with numbers for labels. */
export function toCoseKey(decoded: { get(label: never): unknown }): CoseKey {
  // The library's type knows a few labels only; at run time it is a `Map`.
  return decoded as unknown as CoseKey
}

export function algorithmOf(key: CoseKey): number | undefined {
  const alg = key.get(label.alg)
  return typeof alg === "number" ? alg : undefined
}

/** Whether signatures of the algorithm are an ASN.1 sequence, WebAuthn level 3, section 6.5.5. */
export function isSignatureDer(alg: number | undefined): boolean {
  return alg !== undefined && shapes.get(alg)?.kty === 2
}

/**
 * WebAuthn level 3, section 7.1 (alg), and whether the key is one that the algorithm can use at all.
 * @throws WebAuthnVerificationError
 */
export function assertKeyFits(key: CoseKey, offered: readonly number[]): void {
  const alg = algorithmOf(key)
  const shape = alg === undefined ? undefined : shapes.get(alg)
  if (alg === undefined || !shape || !offered.includes(alg)) {
    throw new WebAuthnVerificationError("credential key: its algorithm was not offered")
  }
  if (key.get(label.kty) !== shape.kty)
    throw new WebAuthnVerificationError("credential key: not of its algorithm's type")
  if (shape.crv !== undefined && key.get(label.crv) !== shape.crv) {
    throw new WebAuthnVerificationError("credential key: not on its algorithm's curve")
  }
  if (!hasRightSizes(key, shape)) throw new WebAuthnVerificationError("credential key: a part of it has the wrong size")
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
