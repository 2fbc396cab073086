import { primitives } from "#crypto"
import { cbcHmac, gcm, type Opener } from "../../crypto/backend.js"
import { toTokenHeader } from "../../crypto/jwt.js"
import { keepKeys } from "../../crypto/keys.js"
import { andThen } from "../../runtime/promise.js"
import type { Awaitable } from "../../types/basics.js"

/** How another library derives the key of its tokens from a secret: HKDF with SHA-256, RFC 5869. */
export interface TokenKey {
  /** RFC 7518 sections 5.3 and 5.2.5. */
  readonly encryption: "A256GCM" | "A256CBC-HS512"
  readonly salt: string
  readonly info: string
}

/**
 * Opens compact JWE with direct encryption (RFC 7518 section 4.5), with the cryptography of this platform. The caller has
 * checked the header. Null if the secret does not open it.
 * @returns the decrypted text
 */
export function createTokenOpener({
  encryption,
  salt,
  info,
}: TokenKey): (token: string, secret: string) => Awaitable<string | null> {
  const isGcm = encryption === "A256GCM"
  const { length, createOpener } = isGcm
    ? { length: gcm.key, createOpener: primitives.createGcmOpener }
    : { length: cbcHmac.key, createOpener: primitives.createCbcHmacCipher }
  const keys = keepKeys<Opener>((secret) => andThen(primitives.deriveKey({ secret, salt, info, length }), createOpener))
  return (token, secret) => {
    const [header = "", , iv = "", ciphertext = "", tag = ""] = token.split(".", 5)
    return andThen(keys.get(secret, info), (opener) => opener.open({ iv, ciphertext, tag }, toTokenHeader(header)))
  }
}
