import { primitives } from "#crypto"
import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"
import type { Bytes } from "./primitives.js"

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
