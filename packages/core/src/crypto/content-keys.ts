import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"
import { toAuthenticatedData } from "./authenticated-data.js"
import { type KeptKeys, keepKeys } from "./kept-keys.js"
import type { AuthenticatedData, Bytes, Cipher, Decipher, Primitives } from "./primitives.js"
import { cbcHmac, gcm } from "./shapes.js"

/** A key that opens tokens. `kid` is its RFC 7638 thumbprint. */
export interface DecryptionKey {
  readonly kid: string
  readonly cipher: Decipher
}

/** A key that also makes tokens. All of them share one protected header, which is encoded once. */
export interface EncryptionKey extends DecryptionKey {
  readonly header: string
  readonly aad: AuthenticatedData
  readonly cipher: Cipher
}

/** The keys of tokens by secret and salt, one kind for each content encryption. */
export interface ContentKeys {
  readonly "A256CBC-HS512": KeptKeys<EncryptionKey>
  readonly A256GCM: KeptKeys<DecryptionKey>
}

export function createContentKeys(primitives: Primitives): ContentKeys {
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
  // These words are part of the format: other services read and write the same tokens.
  return primitives.deriveKey({ secret, salt, length, info: `Auth.js Generated Encryption Key (${salt})` })
}

/** The key as an `oct` JWK with nothing but its required members, in order: RFC 7638 section 3.2. */
function toJwk(primitives: Primitives, key: Bytes): string {
  return JSON.stringify({ k: primitives.toBase64url(key), kty: "oct" })
}

function encodeHeader(primitives: Primitives, header: Readonly<Record<string, string>>): string {
  return primitives.toBase64url(new TextEncoder().encode(JSON.stringify(header)))
}
