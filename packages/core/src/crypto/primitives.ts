import type { Awaitable } from "../contract/awaitable.js"
import type { SignatureAlgorithm } from "./signature-algorithms.js"

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
