import { primitives } from "#crypto"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { Bytes } from "./backend.js"
import { keepKeys } from "./keys.js"

/** SHA-256 of a text as UTF-8, in lower-case hexadecimal. */
export function sha256Hex(text: string): Awaitable<string> {
  return andThen(primitives.sha256(text), primitives.toHex)
}

/** The hash of a text with one of the SHA-2 functions, FIPS 180-4. */
export async function hashOf(text: string, name: string): Promise<Bytes> {
  if (name === "SHA-256") return primitives.sha256(text)
  if (name === "SHA-512") return primitives.sha512(text)
  return new Uint8Array(await crypto.subtle.digest(name, new TextEncoder().encode(text)))
}

const encoder = new TextEncoder()
const macs = keepKeys((secret, purpose) =>
  andThen(
    primitives.deriveKey({ secret, salt: purpose, info: `Latchkey MAC key (${purpose})`, length: 32 }),
    primitives.createMac,
  ),
)

/**
 * HMAC-SHA-256 of a text in lower-case hexadecimal. The key is derived from the secret for this purpose alone, so that
 * a value made for one purpose proves nothing elsewhere.
 */
export function macHex(secret: string, purpose: string, text: string): Awaitable<string> {
  return andThen(macs.get(secret, purpose), (mac) => andThen(mac(text), primitives.toHex))
}

/** Compares without telling by the time taken where two texts differ. Unequal lengths are told. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  return primitives.isEqual(encoder.encode(a), encoder.encode(b))
}
