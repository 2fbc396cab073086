import { base64url, CompactEncrypt, calculateJwkThumbprint } from "jose"
import { sessionCookie } from "./sign-ins.js"

export const secret = "0123456789abcdef0123456789abcdef"

/** The key of the wire contract, section 7, derived with Web Crypto only. */
export async function deriveKey(from: string, salt: string, bytes: number): Promise<Uint8Array> {
  const bits = (text: string) => new TextEncoder().encode(text)
  const key = await crypto.subtle.importKey("raw", bits(from), "HKDF", false, ["deriveBits"])
  const info = bits(`Auth.js Generated Encryption Key (${salt})`)
  const derived = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: bits(salt), info },
    key,
    bytes * 8,
  )
  return new Uint8Array(derived)
}

const kinds = {
  "A256CBC-HS512": { bytes: 64, digest: "sha512" },
  A256GCM: { bytes: 32, digest: "sha256" },
} as const

export interface Sealing {
  readonly from?: string
  readonly salt?: string
  readonly enc?: keyof typeof kinds
  readonly header?: Readonly<Record<string, unknown>>
}

/**
 * A session token like that of another implementation of the contract.
 * @param content Claims, or any text instead.
 */
export async function sealByJose(
  content: Record<string, unknown> | string,
  { from = secret, salt = sessionCookie, enc = "A256CBC-HS512", header }: Sealing = {},
): Promise<string> {
  const { bytes, digest } = kinds[enc]
  const key = await deriveKey(from, salt, bytes)
  const kid = await calculateJwkThumbprint({ kty: "oct", k: base64url.encode(key) }, digest)
  const text = typeof content === "string" ? content : JSON.stringify({ jti: crypto.randomUUID(), ...content })
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc, kid, ...header })
    .encrypt(key)
}

/** Claims of V's session, valid for an hour from now. */
export function fresh(): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return { name: "V", email: "v@corp.test", sub: "u-v", iat: now, exp: now + 3600 }
}
