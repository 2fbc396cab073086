import {
  type Bytes,
  type Cipher,
  cbcHmac,
  type Encrypted,
  gcm,
  hasCbcHmacShape,
  hasGcmShape,
  type KeyDerivation,
  type Mac,
  type Opener,
  type Primitives,
  type PublicJwk,
  type SignatureAlgorithm,
  type TokenHeader,
  type TokenParts,
  type Verifier,
} from "./backend.js"
import { fromBase64url, joinBytes, toBase64url, toHex } from "./encoding.js"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

async function createCbcHmacCipher(key: Bytes): Promise<Cipher> {
  const [macKey, encryptionKey] = await Promise.all([
    importMacKey(key.subarray(0, cbcHmac.halfKey), "SHA-512"),
    crypto.subtle.importKey("raw", key.subarray(cbcHmac.halfKey), "AES-CBC", false, ["encrypt", "decrypt"]),
  ])

  async function toTag({ iv, ciphertext }: Omit<Encrypted, "tag">, header: TokenHeader): Promise<Bytes> {
    const parts = joinBytes([header.bytes, iv, ciphertext, header.lengthBlock])
    return new Uint8Array(await crypto.subtle.sign("HMAC", macKey, parts), 0, cbcHmac.tag)
  }

  return {
    async seal(plaintext, header) {
      const iv = randomBytes(cbcHmac.iv)
      const encrypted = crypto.subtle.encrypt({ name: "AES-CBC", iv }, encryptionKey, encoder.encode(plaintext))
      const ciphertext = new Uint8Array(await encrypted)
      const tag = await toTag({ iv, ciphertext }, header)
      return `${header.text}..${toBase64url(iv)}.${toBase64url(ciphertext)}.${toBase64url(tag)}`
    },
    async open(parts, header) {
      const encrypted = decodeParts(parts)
      if (!encrypted || !hasCbcHmacShape(encrypted)) return null
      if (!isEqual(await toTag(encrypted, header), encrypted.tag)) return null
      return finish(crypto.subtle.decrypt({ name: "AES-CBC", iv: encrypted.iv }, encryptionKey, encrypted.ciphertext))
    },
  }
}

async function createGcmOpener(key: Bytes): Promise<Opener> {
  const encryptionKey = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"])
  return {
    async open(parts, header) {
      const encrypted = decodeParts(parts)
      if (!encrypted || !hasGcmShape(encrypted)) return null
      const { iv, ciphertext, tag } = encrypted
      const algorithm = { name: "AES-GCM", iv, additionalData: header.bytes, tagLength: gcm.tag * 8 }
      return finish(crypto.subtle.decrypt(algorithm, encryptionKey, joinBytes([ciphertext, tag])))
    },
  }
}

function decodeParts(parts: TokenParts): Encrypted | null {
  const iv = fromBase64url(parts.iv)
  const ciphertext = fromBase64url(parts.ciphertext)
  const tag = fromBase64url(parts.tag)
  return iv && ciphertext && tag && { iv, ciphertext, tag }
}

async function finish(decrypted: Promise<ArrayBuffer>): Promise<string | null> {
  try {
    return decoder.decode(await decrypted)
  } catch {
    // A wrong GCM tag, or wrong padding with a correct MAC: the same result, so that they cannot be told apart.
    return null
  }
}

async function createMac(key: Bytes): Promise<Mac> {
  const macKey = await importMacKey(key, "SHA-256")
  return async (text) => toHex(new Uint8Array(await crypto.subtle.sign("HMAC", macKey, encoder.encode(text))))
}

async function createVerifier(
  jwk: PublicJwk,
  { scheme, hash, curve, saltLength }: SignatureAlgorithm,
): Promise<Verifier> {
  // Each scheme ignores the members that it does not have.
  const algorithm = { name: scheme, ...(hash && { hash }), ...(curve && { namedCurve: curve }), saltLength }
  // Without `use`, `key_ops` and `alg`, which the caller checked: Web Crypto refuses some valid combinations.
  const { kty, n, e, crv, x, y } = jwk
  // Web Crypto validates the members.
  const bare = { kty, n, e, crv, x, y } as JsonWebKey
  const key = await crypto.subtle.importKey("jwk", bare, algorithm, false, ["verify"])
  return (text, signature) => crypto.subtle.verify(algorithm, key, signature, encoder.encode(text))
}

function importMacKey(key: Bytes, hash: "SHA-256" | "SHA-512"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"])
}

async function deriveKey({ secret, salt, info, length }: KeyDerivation): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"])
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: encoder.encode(salt), info: encoder.encode(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8))
}

async function hash(algorithm: "SHA-256" | "SHA-512", text: string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest(algorithm, encoder.encode(text)))
}

function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** @internal Exported for its tests. */
export function isEqual(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  // No early exit: the time must not reveal the position of the first difference.
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}

/** Web Crypto, for every runtime other than Node, and for the start of a process on Bun. */
export const primitives: Primitives = {
  deriveKey,
  createCbcHmacCipher,
  createGcmOpener,
  createMac,
  createVerifier,
  sha256: (text) => hash("SHA-256", text),
  sha512: (text) => hash("SHA-512", text),
  randomBytes,
  randomUUID: () => crypto.randomUUID(),
  isEqual: (a, b) => isEqual(encoder.encode(a), encoder.encode(b)),
  toBase64url,
  fromBase64url,
  toHex,
}
