import type { Awaitable } from "../contract/awaitable.js"
import type { JWT, JWTOptions } from "../contract/jwt.js"
import { tokens } from "../crypto/token.js"
import { JWTSessionError } from "../errors/flow.js"

/** Seals and opens session tokens, by the host's own functions where it gave some. */
export interface SessionTokens {
  /** @param atMostSeconds Shortens the configured lifetime. */
  seal(claims: JWT, atMostSeconds?: number): Awaitable<string>
  /**
   * The claims of the first text that is a valid token. A browser may send two cookies of one name, one of them
   * foreign.
   */
  openFirst(texts: readonly string[]): Promise<JWT>
}

export interface SessionTokenOptions {
  readonly secrets: readonly string[]
  /** Name of the session cookie. */
  readonly salt: string
  /** Seconds. */
  readonly maxAge: number
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
}

export function createSessionTokens(options: SessionTokenOptions): SessionTokens {
  const { secrets: secret, salt, maxAge, encode = tokens.encode, decode = tokens.decode } = options

  async function openFirst([token = "", ...others]: readonly string[]): Promise<JWT> {
    try {
      const claims = await decode({ token, secret, salt })
      if (claims === null) throw new JWTSessionError("The token holds no claims")
      return claims
    } catch (error) {
      if (others.length === 0) throw error
      return openFirst(others)
    }
  }

  return {
    seal: (token, atMostSeconds = maxAge) => encode({ token, secret, salt, maxAge: Math.min(maxAge, atMostSeconds) }),
    openFirst,
  }
}
