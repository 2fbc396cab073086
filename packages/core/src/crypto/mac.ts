import { primitives } from "#crypto"
import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"
import { keepKeys } from "./kept-keys.js"

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
