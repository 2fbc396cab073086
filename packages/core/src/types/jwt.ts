import type { Awaitable } from "./basics.js"

/** The claims of a session token, RFC 7519 section 4.1. */
export interface DefaultJWT extends Record<string, unknown> {
  /** The user's name. */
  name?: string | null
  /** The user's email address. */
  email?: string | null
  /** URL of the user's picture. */
  picture?: string | null
  /** The user's id. */
  sub?: string
  /** When the token was issued, in seconds since 1970-01-01T00:00:00Z. */
  iat?: number
  /** When the token expires, in seconds since 1970-01-01T00:00:00Z. */
  exp?: number
  /** Random id of the token. */
  jti?: string
}

/** Extend by module augmentation: `declare module "@latchkey/core/jwt" { interface JWT { role: string } }`. */
export interface JWT extends DefaultJWT {}

/** One secret, or a list with the newest first. */
export type Secret = string | readonly string[]

/** Arguments of `encode`. */
export interface JWTEncodeParams<Payload = JWT> {
  /** The claims. `iat`, `exp` and `jti` are always replaced. */
  readonly token?: Payload | undefined
  /** The secret; the first one of a list encrypts. */
  readonly secret: Secret
  /** Separates keys by purpose; session tokens use the name of the session cookie. */
  readonly salt: string
  /** Lifetime in seconds. Default: 30 days. */
  readonly maxAge?: number | undefined
}

/** Arguments of `decode`. */
export interface JWTDecodeParams {
  /** The encrypted token. */
  readonly token?: string | undefined
  /** The secret, or all secrets that the token may be encrypted with. */
  readonly secret: Secret
  /** The salt that the token was encrypted with. */
  readonly salt: string
}

/** How session tokens are encoded and decoded. */
export interface JWTOptions {
  /** Secret for session tokens only. Default: the service's `secret`. */
  readonly secret?: Secret | undefined
  /** Lifetime of an issued token in seconds. Default: the session's `maxAge`. */
  readonly maxAge?: number | undefined
  /** Replaces the encoding. Default: encrypted JWE (`dir`, `A256CBC-HS512`). */
  readonly encode?: ((params: JWTEncodeParams) => Awaitable<string>) | undefined
  /** Replaces the decoding. Return null or throw for an invalid token. Default: reads what the default `encode` writes. */
  readonly decode?: ((params: JWTDecodeParams) => Awaitable<JWT | null>) | undefined
}
