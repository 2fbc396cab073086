import { primitives } from "#crypto"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { Bytes } from "./backend.js"
import { keepKeys } from "./keys.js"

/** SHA-256 of UTF-8 text in lower-case hexadecimal. */
export function sha256Hex(text: string): Awaitable<string> {
  return andThen(primitives.sha256(text), primitives.toHex)
}

/** SHA-2 hash (FIPS 180-4) of UTF-8 text. `name` is that of Web Crypto, such as `SHA-384`. */
export function hashOf(text: string, name: string): Awaitable<Bytes> {
  if (name === "SHA-256") return primitives.sha256(text)
  if (name === "SHA-512") return primitives.sha512(text)
  return crypto.subtle.digest(name, new TextEncoder().encode(text)).then((digest) => new Uint8Array(digest))
}

const macs = keepKeys((secret, purpose) =>
  andThen(
    primitives.deriveKey({ secret, salt: purpose, info: `Latchkey MAC key (${purpose})`, length: 32 }),
    primitives.createMac,
  ),
)

/**
 * HMAC-SHA-256 of a text in lower-case hexadecimal. Each purpose has its own key, derived from the secret, so that a
 * value for one purpose is invalid for all others.
 */
export function macHex(secret: string, purpose: string, text: string): Awaitable<string> {
  const known = macs.find(secret, purpose)
  return known ? known(text) : andThen(macs.get(secret, purpose), (mac) => mac(text))
}

/** Compares two texts in constant time. Reveals whether their lengths differ. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  return primitives.isEqual(a, b)
}
