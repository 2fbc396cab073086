import { createTokenOpener } from "@latchkey/core/moving"
import type { Awaitable } from "@latchkey/core/types"
import { type Bytes, fromBase64url, toBytes, toText } from "./bytes.js"
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
  const decrypt = format.encryption === "A256GCM" ? createGcm(format) : createCbcHmac(format)
  const parse = (text: string) => parseToken(text, format)
  return {
    isToken: (text) => parse(text) !== null,
    async open(text, secrets) {
      const token = parse(text)
      if (!token) return null
      for (const secret of secrets) {
        const claims = parseFields(await decrypt(token, secret))
        if (claims) return { header: token.header, claims }
      }
      return null
    },
  }
}

interface JweToken {
  readonly text: string
  readonly header: Fields
  /** The protected header as it was sent, which is authenticated. */
  readonly aad: Bytes
  readonly iv: Bytes
  readonly ciphertext: Bytes
  readonly tag: Bytes
}

const lengths = { A256GCM: { iv: 12, tag: 16 }, "A256CBC-HS512": { iv: 16, tag: 32 } }

function parseToken(text: string, { encryption }: JweFormat): JweToken | null {
  if (text.length > maxLength) return null
  const [protectedHeader, encryptedKey, ...others] = text.split(".", 6)
  if (!protectedHeader || encryptedKey !== "" || others.length !== 3) return null
  const header = parseHeader(protectedHeader)
  if (header?.["alg"] !== "dir" || header["enc"] !== encryption) return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
  const [iv, ciphertext, tag] = others.map(fromBase64url)
  if (!iv || !ciphertext || !tag) return null
  const expected = lengths[encryption]
  if (iv.length !== expected.iv || tag.length !== expected.tag) return null
  return { text, header, aad: toBytes(protectedHeader), iv, ciphertext, tag }
}

/** The header of a JOSE token. */
export function parseHeader(encoded: string): Fields | null {
  const bytes = encoded.length > 4096 ? null : fromBase64url(encoded)
  return bytes && parseFields(toText(bytes.buffer))
}

/** Null for another key, or another text. */
type Decrypt = (token: JweToken, secret: string) => Awaitable<string | null>

function createGcm(key: JweFormat): Decrypt {
  const open = createTokenOpener(key)
  return ({ text }, secret) => open(text, secret)
}

/** RFC 7518 section 5.2.2. */
function createCbcHmac({ salt, info }: JweFormat): Decrypt {
  const getKeys = keepKeys(async (secret) => {
    const material = await crypto.subtle.importKey("raw", toBytes(secret), "HKDF", false, ["deriveBits"])
    const parameters = { name: "HKDF", hash: "SHA-256", salt: toBytes(salt), info: toBytes(info) }
    const key = await crypto.subtle.deriveBits(parameters, material, 512)
    const hmac = { name: "HMAC", hash: "SHA-512" }
    const mac = await crypto.subtle.importKey("raw", key.slice(0, 32), hmac, false, ["sign", "verify"])
    return { mac, cipher: await crypto.subtle.importKey("raw", key.slice(32), "AES-CBC", false, ["decrypt"]) }
  })
  return async ({ iv, aad, ciphertext, tag }, secret) => {
    const { mac, cipher } = await getKeys(secret)
    const bits = new Uint8Array(8)
    new DataView(bits.buffer).setUint32(4, aad.length * 8)
    const expected = new Uint8Array(await crypto.subtle.sign("HMAC", mac, join([aad, iv, ciphertext, bits])))
    let difference = 0
    for (const [n, byte] of tag.entries()) difference |= byte ^ (expected[n] ?? 0)
    if (difference !== 0) return null
    return toText(await crypto.subtle.decrypt({ name: "AES-CBC", iv }, cipher, ciphertext))
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
