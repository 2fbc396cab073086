import { primitives } from "#crypto"
import type { Awaitable } from "../contract/awaitable.js"
import type { Clock } from "../contract/clock.js"
import type { JWT, JWTDecodeParams, JWTEncodeParams } from "../contract/jwt.js"
import { andThen } from "./and-then.js"
import { isCurrent, parseClaims } from "./claims.js"
import { InvalidToken } from "./invalid-token.js"
import { createJwe, maxTokenLength } from "./jwe.js"
import type { Primitives } from "./primitives.js"
import { toSecrets } from "./secrets.js"

const defaultMaxAgeSeconds = 30 * 24 * 60 * 60

export interface EncodeContext {
  /** Default: the system's. */
  readonly clock?: Clock
  /** Identifies the token. Default: a new random UUID. */
  readonly jti?: string
}

/** Encrypted tokens with claims and an expiry. Synchronous where the platform's cryptography is. */
export interface Tokens {
  encode<Payload = JWT>(params: JWTEncodeParams<Payload>, context?: EncodeContext): Awaitable<string>
  /** Null without a token. Fails with `InvalidToken`. */
  decode(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
  /** As `decode`, with null for an invalid token as well. */
  open(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
}

/** @internal Exported so that tests run over every platform's primitives. */
export function createTokens(platform: Primitives): Tokens {
  const jwe = createJwe(platform)

  function encode<Payload>(params: JWTEncodeParams<Payload>, context: EncodeContext = {}): Awaitable<string> {
    const { token, secret, salt, maxAge = defaultMaxAgeSeconds } = params
    const { clock = Date.now, jti = platform.randomUUID() } = context
    const iat = toSeconds(clock)
    const exp = iat + maxAge
    if (!Number.isFinite(exp)) throw new RangeError("The lifetime of a token must be a finite number of seconds.")
    return andThen(
      jwe.encrypt(JSON.stringify({ ...token, iat, exp, jti }), { secrets: toSecrets(secret), salt }),
      refuseTooLong,
    )
  }

  function open({ token, secret, salt }: JWTDecodeParams, clock: Clock = Date.now): Awaitable<JWT | null> {
    const secrets = toSecrets(secret)
    if (typeof token !== "string") return null
    return andThen(jwe.decrypt(token, { secrets, salt }), (text) => {
      const claims = text === null ? null : parseClaims(text)
      // The claims are those of `encode`, as just proved; what a host declares them to hold is its own to keep.
      return claims && isCurrent(claims, toSeconds(clock)) ? (claims as JWT) : null
    })
  }

  function decode(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null> {
    if (!params.token) return null
    return andThen(open(params, clock), (claims) => {
      if (claims === null) throw new InvalidToken()
      return claims
    })
  }

  return { encode, decode, open }
}

function toSeconds(clock: Clock): number {
  return Math.floor(clock() / 1000)
}

function refuseTooLong(token: string): string {
  if (token.length > maxTokenLength) throw new RangeError(`A token may have ${maxTokenLength} characters at most.`)
  return token
}

/** The tokens of this platform. */
export const tokens: Tokens = createTokens(primitives)

/**
 * Makes a session token: compact JWE with `dir` and `A256CBC-HS512`, key derived from the first secret and the salt.
 * `iat`, `exp` and `jti` are always set anew.
 * @throws MissingSecret, InvalidConfiguration; RangeError when the token would be too long to be read.
 */
export async function encode<Payload = JWT>(params: JWTEncodeParams<Payload>): Promise<string> {
  return tokens.encode(params)
}

/**
 * Reads a session token with the secret that its key id names (the first one when it names none). Null without a token.
 * @throws InvalidToken when it is malformed, expired or encrypted otherwise, always with the same words.
 */
export async function decode<Payload = JWT>(params: JWTDecodeParams): Promise<Payload | null> {
  // The caller says what its tokens hold; that they are its own was just proved.
  return tokens.decode(params) as Awaitable<Payload | null>
}
