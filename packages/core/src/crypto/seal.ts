import type { Awaitable, Clock } from "../types/basics.js"
import { tokens } from "./jwt.js"
import { toSecrets } from "./keys.js"

/** The values that a browser keeps for the service. */
export type SealedClaims = Readonly<Record<string, unknown>>

/**
 * Seals small values for the browser to keep: encrypted, authenticated and with an expiry. Each purpose has its own key,
 * so a value for one purpose cannot be opened for another. A purpose is the name of a cookie, one of the names that
 * `validateCookie` reserves, or has a colon, which no cookie name can have.
 */
export interface Sealer {
  seal(purpose: string, claims: SealedClaims, ttlSeconds: number): Awaitable<string>
  /** Null if the text is tampered with, expired, or sealed for another purpose or with another secret. */
  open(purpose: string, text: string): Awaitable<SealedClaims | null>
}

/**
 * Creates a sealer that seals with the first secret and opens with any. The format is that of session tokens, with the
 * purpose as the salt.
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
