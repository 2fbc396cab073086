/** The claims of OpenID Connect Core 1.0 section 5.1 that the usual mapping reads. */
export interface StandardClaims {
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: unknown
}
