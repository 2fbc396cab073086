import { primitives } from "#crypto"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"

/** Random bytes in lower-case hexadecimal, two characters for each byte. */
export function randomHex(bytes: number): string {
  return primitives.toHex(primitives.randomBytes(bytes))
}

/** Random characters of the base64url alphabet, 6 bits each. */
export function randomId(length: number): string {
  return primitives.toBase64url(primitives.randomBytes(Math.ceil((length * 6) / 8))).slice(0, length)
}

/** A random UUID, version 4, RFC 9562 section 5.4. */
export function randomUUID(): string {
  return primitives.randomUUID()
}

/** A PKCE code verifier of 43 characters (256 bits), RFC 7636 section 4.1. */
export function randomVerifier(): string {
  return primitives.toBase64url(primitives.randomBytes(32))
}

/** The code challenge of method S256, RFC 7636 section 4.2. */
export function toCodeChallenge(verifier: string): Awaitable<string> {
  return andThen(primitives.sha256(verifier), primitives.toBase64url)
}
