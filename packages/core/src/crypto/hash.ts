import { primitives } from "#crypto"
import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"

/** SHA-256 of a text as UTF-8, in lower-case hexadecimal. */
export function sha256Hex(text: string): Awaitable<string> {
  return andThen(primitives.sha256(text), primitives.toHex)
}
