import type { Awaitable } from "../types/basics.js"

/** Bytes that Web Crypto accepts: not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Input of HKDF, RFC 5869. Texts are encoded as UTF-8; `length` is in bytes. */
export interface KeyDerivation {
  readonly secret: string
  readonly salt: string
  readonly info: string
  readonly length: number
}

/** The result of authenticated encryption. */
export interface Encrypted {
  readonly iv: Bytes
  readonly ciphertext: Bytes
  readonly tag: Bytes
}

/** The same in a compact token, RFC 7516 section 7.1: each part in base64url. */
export interface TokenParts {
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
}

/** A protected header, which is the additional authenticated data of its token. Created once for all that share it. */
export interface TokenHeader {
  /** In base64url, as in the token. */
  readonly text: string
  readonly bytes: Bytes
  /** AL of RFC 7518 section 5.2.2.1: the number of bits in `bytes`, 64 bits big-endian. */
  readonly lengthBlock: Bytes
}

/** Opens tokens of one key. */
export interface Opener {
  /** The text of a token. Null if anything is invalid. Verifies the tag before it decrypts. */
  open(parts: TokenParts, header: TokenHeader): Awaitable<string | null>
}

/** Authenticated encryption of UTF-8 text with one key, with a new random IV for each text. */
export interface Cipher extends Opener {
  /** The compact token. */
  seal(plaintext: string, header: TokenHeader): Awaitable<string>
}

/** A keyed hash of a text in lower-case hexadecimal. */
export type Mac = (text: string) => Awaitable<string>

/** A public key, RFC 7517. The platform validates its members. */
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
  /** Present in a private key only. */
  readonly d?: unknown
}

/** Verifies a signature over UTF-8 text with one public key. */
export type Verifier = (text: string, signature: Bytes) => Awaitable<boolean>

/**
 * The platform's cryptography. `node.ts` is synchronous, `web.ts` (Web Crypto) returns promises, and `bun.ts` changes from
 * Web Crypto to Node's while a process lives.
 * All other code in this folder uses this interface.
 */
export interface Primitives {
  /** HKDF with SHA-256, RFC 5869. */
  deriveKey(derivation: KeyDerivation): Awaitable<Bytes>
  /** A256CBC-HS512, RFC 7518 section 5.2.5. The key has 64 bytes. */
  createCbcHmacCipher(key: Bytes): Awaitable<Cipher>
  /** A256GCM, RFC 7518 section 5.3. The key has 32 bytes. For decryption only. */
  createGcmOpener(key: Bytes): Awaitable<Opener>
  /** HMAC with SHA-256, RFC 2104. */
  createMac(key: Bytes): Awaitable<Mac>
  /** Throws if the JWK is not a public key for the algorithm. */
  createVerifier(jwk: PublicJwk, algorithm: SignatureAlgorithm): Awaitable<Verifier>
  sha256(text: string): Awaitable<Bytes>
  sha512(text: string): Awaitable<Bytes>
  randomBytes(length: number): Bytes
  /** Version 4, RFC 9562 section 5.4. */
  randomUUID(): string
  /** Compares in constant time. Texts of different lengths in UTF-8 return false at once. */
  isEqual(a: string, b: string): boolean
  /** Without padding, RFC 7515 appendix C. */
  toBase64url(bytes: Bytes): string
  /** Null unless the text is the canonical encoding: no padding, no other characters, no unused bits. */
  fromBase64url(text: string): Bytes | null
  /** Lower case. */
  toHex(bytes: Bytes): string
}

/**
 * Sizes of A256CBC-HS512 in bytes, RFC 7518 section 5.2.5. The first half of the key authenticates, the second half
 * encrypts.
 */
export const cbcHmac = { key: 64, halfKey: 32, iv: 16, block: 16, tag: 32 } as const

/** Sizes of A256GCM in bytes, RFC 7518 section 5.3. */
export const gcm = { key: 32, iv: 12, tag: 16 } as const

/** Whether the parts have the sizes of A256CBC-HS512. A shorter tag would be easier to guess. */
export function hasCbcHmacShape({ iv, ciphertext, tag }: Encrypted): boolean {
  return (
    iv.length === cbcHmac.iv &&
    tag.length === cbcHmac.tag &&
    ciphertext.length > 0 &&
    ciphertext.length % cbcHmac.block === 0
  )
}

/** Whether the parts have the sizes of A256GCM. */
export function hasGcmShape({ iv, tag }: Encrypted): boolean {
  return iv.length === gcm.iv && tag.length === gcm.tag
}

/** A signature algorithm of RFC 7518 section 3.1 or RFC 8037 section 3.1, in terms of Web Crypto. */
export interface SignatureAlgorithm {
  /** `kty` of its keys. */
  readonly kty: "RSA" | "EC" | "OKP"
  /** `crv` of its keys; undefined for RSA. */
  readonly curve: string | undefined
  readonly scheme: "RSASSA-PKCS1-v1_5" | "RSA-PSS" | "ECDSA" | "Ed25519"
  /** Undefined if the scheme has its own. */
  readonly hash: "SHA-256" | "SHA-384" | "SHA-512" | undefined
  /** For RSA-PSS: the length of the hash in bytes, RFC 7518 section 3.5. */
  readonly saltLength: number
}
