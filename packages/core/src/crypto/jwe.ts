import { isRecord, parseJson } from "../runtime/json.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import {
  type AuthenticatedData,
  type Bytes,
  type Cipher,
  cbcHmac,
  type Decipher,
  type Encrypted,
  gcm,
  type Primitives,
} from "./backend.js"
import { type KeptKeys, keepKeys, type Secrets } from "./keys.js"

/** Maximum characters of a token, far above what cookies can hold. Checked before any cryptography. */
export const maxTokenLength = 131072
const maxHeaderLength = 4096

/** The secrets and salt of a token's keys: the first secret encrypts, all of them decrypt. */
export interface TokenKeys {
  readonly secrets: Secrets
  readonly salt: string
}

/** Compact JWE with direct encryption, RFC 7516 section 7.1 and RFC 7518 section 4.5. */
interface Jwe {
  encrypt(plaintext: string, keys: TokenKeys): Awaitable<string>
  /** Null unless the text is such a token and one of the keys decrypts it. */
  decrypt(token: string, keys: TokenKeys): Awaitable<string | null>
}

interface Parts {
  readonly header: string
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
}

/** Creates the encryption of tokens from the platform's cryptography. */
export function createJwe(primitives: Primitives): Jwe {
  const contentKeys = createContentKeys(primitives)
  const { toBase64url } = primitives

  function encrypt(plaintext: string, { secrets, salt }: TokenKeys): Awaitable<string> {
    return andThen(contentKeys["A256CBC-HS512"].get(secrets[0], salt), ({ header, aad, cipher }) =>
      andThen(
        cipher.encrypt(plaintext, aad),
        ({ iv, ciphertext, tag }) => `${header}..${toBase64url(iv)}.${toBase64url(ciphertext)}.${toBase64url(tag)}`,
      ),
    )
  }

  function decrypt(token: string, keys: TokenKeys): Awaitable<string | null> {
    const parts = parseParts(token)
    const encrypted = parts && decodeParts(parts, primitives)
    if (!parts || !encrypted) return null
    // Nearly every token has exactly the header that `encrypt` writes. Others are parsed before a key is derived.
    const known = findByHeader(parts.header, keys, contentKeys)
    if (known) return known.cipher.decrypt(encrypted, known.aad)
    const header = parseHeader(parts.header, primitives)
    if (header === null) return null
    return andThen(findByKid(header, keys, contentKeys), (key) => {
      return key === null ? null : key.cipher.decrypt(encrypted, toAuthenticatedData(parts.header))
    })
  }

  return { encrypt, decrypt }
}

function parseParts(token: string): Parts | null {
  if (token.length > maxTokenLength) return null
  const [header, encryptedKey, iv, ciphertext, tag, surplus] = token.split(".", 6)
  if (!header || !iv || !ciphertext || !tag) return null
  // Direct encryption has no encrypted key: RFC 7518 section 4.5.
  return encryptedKey === "" && surplus === undefined ? { header, iv, ciphertext, tag } : null
}

function decodeParts(parts: Parts, { fromBase64url }: Primitives): Encrypted | null {
  const iv = fromBase64url(parts.iv)
  const ciphertext = fromBase64url(parts.ciphertext)
  const tag = fromBase64url(parts.tag)
  return iv && ciphertext && tag && { iv, ciphertext, tag }
}

function findByHeader(header: string, { secrets, salt }: TokenKeys, contentKeys: ContentKeys): EncryptionKey | null {
  for (const secret of secrets) {
    const key = contentKeys["A256CBC-HS512"].find(secret, salt)
    if (key?.header === header) return key
  }
  return null
}

function parseHeader(encoded: string, { fromBase64url }: Primitives): ProtectedHeader | null {
  if (encoded.length > maxHeaderLength) return null
  const bytes = fromBase64url(encoded)
  return bytes && parseProtectedHeader(new TextDecoder().decode(bytes))
}

/** A token without a key id is decrypted with the first secret only. Each secret is tried at most once. */
function findByKid(
  header: ProtectedHeader,
  keys: TokenKeys,
  contentKeys: ContentKeys,
): Awaitable<DecryptionKey | null> {
  const [secret, next, ...others] = keys.secrets
  return andThen(contentKeys[header.enc].get(secret, keys.salt), (key): Awaitable<DecryptionKey | null> => {
    if (header.kid === undefined || header.kid === key.kid) return key
    return next === undefined ? null : findByKid(header, { ...keys, secrets: [next, ...others] }, contentKeys)
  })
}

/** A key that decrypts tokens. `kid` is its RFC 7638 thumbprint. */
interface DecryptionKey {
  readonly kid: string
  readonly cipher: Decipher
}

/** A key that also encrypts tokens. They share one protected header, which is encoded once. */
interface EncryptionKey extends DecryptionKey {
  readonly header: string
  readonly aad: AuthenticatedData
  readonly cipher: Cipher
}

/** The keys by secret and salt, for each content encryption. */
interface ContentKeys {
  readonly "A256CBC-HS512": KeptKeys<EncryptionKey>
  readonly A256GCM: KeptKeys<DecryptionKey>
}

function createContentKeys(primitives: Primitives): ContentKeys {
  return {
    "A256CBC-HS512": keepKeys((secret, salt) => createEncryptionKey(primitives, secret, salt)),
    A256GCM: keepKeys((secret, salt) => createDecryptionKey(primitives, secret, salt)),
  }
}

function createEncryptionKey(primitives: Primitives, secret: string, salt: string): Awaitable<EncryptionKey> {
  return andThen(derive(primitives, { secret, salt, length: cbcHmac.key }), (key) =>
    andThen(primitives.sha512(toJwk(primitives, key)), (thumbprint) => {
      const kid = primitives.toBase64url(thumbprint)
      const header = encodeHeader(primitives, { alg: "dir", enc: "A256CBC-HS512", kid })
      return andThen(primitives.createCbcHmacCipher(key), (cipher) => {
        return { kid, header, aad: toAuthenticatedData(header), cipher }
      })
    }),
  )
}

function createDecryptionKey(primitives: Primitives, secret: string, salt: string): Awaitable<DecryptionKey> {
  return andThen(derive(primitives, { secret, salt, length: gcm.key }), (key) =>
    andThen(primitives.sha256(toJwk(primitives, key)), (thumbprint) => {
      const kid = primitives.toBase64url(thumbprint)
      return andThen(primitives.createGcmDecipher(key), (cipher) => ({ kid, cipher }))
    }),
  )
}

interface ContentKeyDerivation {
  readonly secret: string
  readonly salt: string
  readonly length: number
}

function derive(primitives: Primitives, { secret, salt, length }: ContentKeyDerivation): Awaitable<Bytes> {
  // This text is part of the format: other libraries read and write the same tokens.
  return primitives.deriveKey({ secret, salt, length, info: `Auth.js Generated Encryption Key (${salt})` })
}

/** The key as an `oct` JWK with only its required members, in order: RFC 7638 section 3.2. */
function toJwk(primitives: Primitives, key: Bytes): string {
  return JSON.stringify({ k: primitives.toBase64url(key), kty: "oct" })
}

function encodeHeader(primitives: Primitives, header: Readonly<Record<string, string>>): string {
  return primitives.toBase64url(new TextEncoder().encode(JSON.stringify(header)))
}

/** The supported content encryptions of RFC 7518 section 5.1. A256GCM is for decryption only. */
type ContentEncryption = "A256CBC-HS512" | "A256GCM"

/** The relevant members of a protected header, RFC 7516 section 4.1. */
interface ProtectedHeader {
  readonly enc: ContentEncryption
  readonly kid: string | undefined
}

/**
 * Parses a protected header. Null unless it has the algorithm `dir`, one of the two encryptions, no compression and no
 * critical extension. All other members are ignored, above all keys and URLs of keys.
 */
export function parseProtectedHeader(json: string): ProtectedHeader | null {
  const header = parseJson(json)
  if (!isRecord(header) || header["alg"] !== "dir") return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
  const { enc, kid } = header
  if (enc !== "A256CBC-HS512" && enc !== "A256GCM") return null
  if (kid !== undefined && typeof kid !== "string") return null
  return { enc, kid }
}

const encoder = new TextEncoder()

/** The encoded protected header as authenticated data, RFC 7516 section 5.1 step 14. */
export function toAuthenticatedData(header: string): AuthenticatedData {
  const bytes = encoder.encode(header)
  const lengthBlock = new Uint8Array(8)
  new DataView(lengthBlock.buffer).setUint32(4, bytes.length * 8)
  return { bytes, lengthBlock }
}
