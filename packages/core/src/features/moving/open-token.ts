import { primitives } from "#crypto"
import { toTokenHeader } from "../../crypto/jwt.js"
import { keepKeys } from "../../crypto/keys.js"
import { andThen } from "../../runtime/promise.js"
import type { Awaitable } from "../../types/basics.js"

/** How another library derives the key of its tokens from a secret: HKDF with SHA-256, RFC 5869. */
export interface TokenKey {
  readonly salt: string
  readonly info: string
}

/**
 * Opens compact JWE with direct encryption by A256GCM (RFC 7518 sections 4.5 and 5.3), with the cryptography of this platform.
 * The caller has checked the header. Null if the secret does not open it.
 * @returns the decrypted text
 */
export function createTokenOpener({
  salt,
  info,
}: TokenKey): (token: string, secret: string) => Awaitable<string | null> {
  const keys = keepKeys((secret) =>
    andThen(primitives.deriveKey({ secret, salt, info, length: 32 }), primitives.createGcmOpener),
  )
  return (token, secret) => {
    const [header = "", , iv = "", ciphertext = "", tag = ""] = token.split(".", 5)
    return andThen(keys.get(secret, info), (opener) => opener.open({ iv, ciphertext, tag }, toTokenHeader(header)))
  }
}
