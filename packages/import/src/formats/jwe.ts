import { type Bytes, fromBase64, toBytes, toText } from "./bytes.js"
import { type Fields, parseFields } from "./json.js"
import { keepKeys } from "./keys.js"

/** How the key of a token is derived from a secret: HKDF with SHA-256, RFC 5869. */
export interface JweFormat {
  readonly encryption: "A256GCM" | "A256CBC-HS512"
  readonly salt: string
  readonly info: string
}

/** What a token holds. */
export interface OpenedJwe {
  readonly header: Fields
  readonly claims: Fields
}

const maxLength = 131_072

/** Opens tokens with direct encryption: compact JWE, RFC 7516 section 7.1. */
export interface JweOpener {
  /** Whether the text is a token of the format, whatever its key. */
  isToken(text: string): boolean
  /** Null if none of the secrets opens it. */
  open(text: string, secrets: readonly string[]): Promise<OpenedJwe | null>
}

export function createJweOpener(format: JweFormat): JweOpener {
  const ciphers = { A256GCM: createGcm, "A256CBC-HS512": createCbcHmac }
  const decryptWith = keepKeys(async (secret) => ciphers[format.encryption](await derive(secret, format)))
  const parse = (text: string) => parseToken(text, format)
  return {
    isToken: (text) => parse(text) !== null,
    async open(text, secrets) {
      const token = parse(text)
      if (!token) return null
      for (const secret of secrets) {
        const decrypt = await decryptWith(secret)
        const plain = await decrypt(token).catch(() => null) // Another key, or another text.
        const claims = plain && parseFields(toText(plain))
        if (claims) return { header: token.header, claims }
      }
      return null
    },
  }
}

interface JweToken {
  readonly header: Fields
  /** The protected header as it was sent, which is authenticated. */
  readonly aad: Bytes
  readonly iv: Bytes
  readonly ciphertext: Bytes
  readonly tag: Bytes
}

const lengths = { A256GCM: { iv: 12, tag: 16, key: 32 }, "A256CBC-HS512": { iv: 16, tag: 32, key: 64 } }

function parseToken(text: string, { encryption }: JweFormat): JweToken | null {
  if (text.length > maxLength) return null
  const [protectedHeader, encryptedKey, ...others] = text.split(".", 6)
  if (!protectedHeader || encryptedKey !== "" || others.length !== 3) return null
  const header = parseHeader(protectedHeader)
  if (header?.["alg"] !== "dir" || header["enc"] !== encryption) return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
  const [iv, ciphertext, tag] = others.map(fromBase64)
  if (!iv || !ciphertext || !tag) return null
  const expected = lengths[encryption]
  if (iv.length !== expected.iv || tag.length !== expected.tag) return null
  return { header, aad: toBytes(protectedHeader), iv, ciphertext, tag }
}

/** The header of a JOSE token. */
export function parseHeader(encoded: string): Fields | null {
  const bytes = encoded.length > 4096 ? null : fromBase64(encoded)
  return bytes && parseFields(toText(bytes.buffer))
}

async function derive(secret: string, { encryption, salt, info }: JweFormat): Promise<Bytes> {
  const material = await crypto.subtle.importKey("raw", toBytes(secret), "HKDF", false, ["deriveBits"])
  const parameters = { name: "HKDF", hash: "SHA-256", salt: toBytes(salt), info: toBytes(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, lengths[encryption].key * 8))
}

type Decrypt = (token: JweToken) => Promise<ArrayBuffer>

async function createGcm(key: Bytes): Promise<Decrypt> {
  const own = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"])
  return ({ iv, aad, ciphertext, tag }) =>
    crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: aad }, own, join([ciphertext, tag]))
}

/** RFC 7518 section 5.2.2. */
async function createCbcHmac(key: Bytes): Promise<Decrypt> {
  const hmac = { name: "HMAC", hash: "SHA-512" }
  const macKey = await crypto.subtle.importKey("raw", key.slice(0, 32), hmac, false, ["sign", "verify"])
  const cipherKey = await crypto.subtle.importKey("raw", key.slice(32), "AES-CBC", false, ["decrypt"])
  return async ({ iv, aad, ciphertext, tag }) => {
    const bits = new Uint8Array(8)
    new DataView(bits.buffer).setUint32(4, aad.length * 8)
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", macKey, join([aad, iv, ciphertext, bits])))
    let difference = 0
    for (const [n, byte] of tag.entries()) difference |= byte ^ (mac[n] ?? 0)
    if (difference !== 0) throw new Error("The token is not authentic")
    return crypto.subtle.decrypt({ name: "AES-CBC", iv }, cipherKey, ciphertext)
  }
}

function join(parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
