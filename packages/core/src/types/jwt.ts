import type { Awaitable } from "./basics.js"

/** The claims of a session token. `iat` and `exp` are seconds since 1970-01-01T00:00:00Z. */
export interface DefaultJWT extends Record<string, unknown> {
  name?: string | null
  email?: string | null
  picture?: string | null
  sub?: string
  iat?: number
  exp?: number
  jti?: string
}

/** Extend by module augmentation: `declare module "@latchkey/core/jwt" { interface JWT { role: string } }`. */
export interface JWT extends DefaultJWT {}

/** One secret, or several with the newest first. */
export type Secret = string | readonly string[]

/** What a token is made of. */
export interface JWTEncodeParams<Payload = JWT> {
  readonly token?: Payload
  readonly secret: Secret
  /** Separates keys by purpose; session tokens use the name of the session cookie. */
  readonly salt: string
  /** Lifetime in seconds. Default: 30 days. */
  readonly maxAge?: number
}

/** A token, and what it may have been made with. */
export interface JWTDecodeParams {
  readonly token?: string
  readonly secret: Secret
  readonly salt: string
}

/** How session tokens are made and read. */
export interface JWTOptions {
  readonly secret?: Secret
  /** Lifetime of an issued token in seconds. Default: the session's `maxAge`. */
  readonly maxAge?: number
  readonly encode?: (params: JWTEncodeParams) => Awaitable<string>
  readonly decode?: (params: JWTDecodeParams) => Awaitable<JWT | null>
}
