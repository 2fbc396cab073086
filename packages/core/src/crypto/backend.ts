import type { Awaitable } from "../types/basics.js"

/** Bytes that Web Crypto accepts: never on shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Input of HKDF, RFC 5869. Texts are taken as UTF-8; `length` is in bytes. */
export interface KeyDerivation {
  readonly secret: string
  readonly salt: string
  readonly info: string
  readonly length: number
}

export interface Encrypted {
  readonly iv: Bytes
  readonly ciphertext: Bytes
  readonly tag: Bytes
}

/** Additional authenticated data, made once for the tokens that share it. */
export interface AuthenticatedData {
  readonly bytes: Bytes
  /** AL of RFC 7518 section 5.2.2.1: the number of bits in `bytes`, 64 bits big-endian. */
  readonly lengthBlock: Bytes
}

/** Opens what was encrypted under one key. */
export interface Decipher {
  /** Null when anything about it is wrong; the plaintext is touched only after the tag was found right. */
  decrypt(encrypted: Encrypted, aad: AuthenticatedData): Awaitable<string | null>
}

/** Authenticated encryption of text (as UTF-8) under one key, with a fresh random IV each time. */
export interface Cipher extends Decipher {
  encrypt(plaintext: string, aad: AuthenticatedData): Awaitable<Encrypted>
}

/** A keyed hash of a text. */
export type Mac = (text: string) => Awaitable<Bytes>

/** A public key, RFC 7517. What its members hold is for the platform to judge. */
export interface PublicJwk {
  readonly kty?: unknown
  readonly kid?: unknown
  readonly use?: unknown
  readonly key_ops?: unknown
  readonly alg?: unknown
  readonly crv?: unknown
  readonly n?: unknown
  readonly e?: unknown
  readonly x?: unknown
  readonly y?: unknown
  /** There in a private key alone. */
  readonly d?: unknown
}

/** Whether a signature over a text (as UTF-8) is right, by one public key. */
export type Verifier = (text: string, signature: Bytes) => Awaitable<boolean>

/**
 * What the platform gives. Two implementations: `node.ts` answers at once, `web.ts` (Web Crypto) with promises. All
 * else in this folder is written once over this interface.
 */
export interface Primitives {
  /** HKDF with SHA-256, RFC 5869. */
  deriveKey(derivation: KeyDerivation): Awaitable<Bytes>
  /** A256CBC-HS512, RFC 7518 section 5.2.5. The key has 64 bytes. */
  createCbcHmacCipher(key: Bytes): Awaitable<Cipher>
  /** A256GCM, RFC 7518 section 5.3. The key has 32 bytes. Only read, never written. */
  createGcmDecipher(key: Bytes): Awaitable<Decipher>
  /** HMAC with SHA-256, RFC 2104. */
  createMac(key: Bytes): Awaitable<Mac>
  /** Fails when the JWK is no public key for the algorithm. */
  createVerifier(jwk: PublicJwk, algorithm: SignatureAlgorithm): Awaitable<Verifier>
  sha256(text: string): Awaitable<Bytes>
  sha512(text: string): Awaitable<Bytes>
  randomBytes(length: number): Bytes
  /** Version 4, RFC 9562 section 5.4. */
  randomUUID(): string
  /** Takes the same time wherever the two differ. Unequal lengths are told at once. */
  isEqual(a: Bytes, b: Bytes): boolean
  /** Without padding, RFC 7515 appendix C. */
  toBase64url(bytes: Bytes): string
  /**
   * Null unless the text is the one and only encoding of its bytes: no padding, no foreign characters, no spare bits.
   */
  fromBase64url(text: string): Bytes | null
  /** Lower case. */
  toHex(bytes: Bytes): string
}

/**
 * Sizes of A256CBC-HS512 in bytes, RFC 7518 section 5.2.5. The key's first half authenticates, its second half
 * encrypts.
 */
export const cbcHmac = { key: 64, halfKey: 32, iv: 16, block: 16, tag: 32 } as const

/** Sizes of A256GCM in bytes, RFC 7518 section 5.3. */
export const gcm = { key: 32, iv: 12, tag: 16 } as const

/** Whether the parts have the sizes of A256CBC-HS512. A shortened tag would be easier to guess. */
export function hasCbcHmacShape({ iv, ciphertext, tag }: Encrypted): boolean {
  return (
    iv.length === cbcHmac.iv &&
    tag.length === cbcHmac.tag &&
    ciphertext.length > 0 &&
    ciphertext.length % cbcHmac.block === 0
  )
}

export function hasGcmShape({ iv, tag }: Encrypted): boolean {
  return iv.length === gcm.iv && tag.length === gcm.tag
}

/** How an algorithm of RFC 7518 section 3.1 or RFC 8037 section 3.1 signs, in the terms of Web Crypto. */
export interface SignatureAlgorithm {
  /** `kty` of its keys. */
  readonly kty: "RSA" | "EC" | "OKP"
  /** `crv` of its keys; undefined for RSA. */
  readonly curve: string | undefined
  readonly scheme: "RSASSA-PKCS1-v1_5" | "RSA-PSS" | "ECDSA" | "Ed25519"
  /** Undefined where the scheme brings its own. */
  readonly hash: "SHA-256" | "SHA-384" | "SHA-512" | undefined
  /** Of RSA-PSS: as many bytes as the hash has, RFC 7518 section 3.5. */
  readonly saltLength: number
}

const lengths = [256, 384, 512] as const
const curves = { 256: "P-256", 384: "P-384", 512: "P-521" } as const
const edwards: SignatureAlgorithm = {
  kty: "OKP",
  curve: "Ed25519",
  scheme: "Ed25519",
  hash: undefined,
  saltLength: 0,
}

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["EdDSA", edwards],
  ["Ed25519", edwards],
  ...lengths.flatMap((length): readonly (readonly [string, SignatureAlgorithm])[] => {
    const hash = `SHA-${length}` as const
    const rsa = { kty: "RSA", curve: undefined, hash, saltLength: length / 8 } as const
    const ec = { kty: "EC", curve: curves[length], hash, saltLength: 0 } as const
    return [
      [`RS${length}`, { ...rsa, scheme: "RSASSA-PKCS1-v1_5" }],
      [`PS${length}`, { ...rsa, scheme: "RSA-PSS" }],
      [`ES${length}`, { ...ec, scheme: "ECDSA" }],
    ]
  }),
])

/**
 * An algorithm of public keys by its `alg`; undefined for all others, `none` and those of shared secrets among them.
 */
export function findSignatureAlgorithm(alg: string): SignatureAlgorithm | undefined {
  return algorithms.get(alg)
}
