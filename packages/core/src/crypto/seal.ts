import type { Awaitable, Clock } from "../types/basics.js"
import { tokens } from "./jwt.js"
import { toSecrets } from "./keys.js"

export type SealedClaims = Readonly<Record<string, unknown>>

/**
 * Seals small values for the browser to keep: encrypted, authenticated, expiring. A value sealed for one purpose opens
 * for no other, since each purpose has a key of its own.
 */
export interface Sealer {
  seal(purpose: string, claims: SealedClaims, ttlSeconds: number): Awaitable<string>
  /**
   * Null when the text is not such a value: tampered with, expired, or sealed for another purpose or with an unknown
   * secret.
   */
  open(purpose: string, text: string): Awaitable<SealedClaims | null>
}

/**
 * Seals with the first secret and opens with any. The format is that of session tokens, with the purpose as the salt.
 * @throws MissingSecret, InvalidConfiguration
 */
export function createSealer(secrets: readonly string[], clock: Clock = Date.now): Sealer {
  const secret = toSecrets(secrets)
  return {
    seal(purpose, claims, ttlSeconds) {
      return tokens.encode({ token: claims, secret, salt: purpose, maxAge: ttlSeconds }, { clock })
    },
    open(purpose, text) {
      return tokens.open({ token: text, secret, salt: purpose }, clock)
    },
  }
}
