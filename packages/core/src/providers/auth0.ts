// Imported as `@latchkey/core/providers/auth0`.
import type { OIDCConfig, OIDCUserConfig } from "../contract/oauth-provider.js"

/** @see https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure */
export interface Auth0Profile {
  readonly sub: string
  readonly name?: string
  readonly nickname?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: unknown
}

/**
 * Auth0 sign-in (OpenID Connect). Needs `issuer`, the tenant's domain as a URL: `https://<tenant>.<region>.auth0.com`.
 *
 * Scopes: `openid profile email`, the default. The address may be missing, depending on the connection. An app that signs
 * with HS256 needs `client: { id_token_signed_response_alg: "HS256" }`. Register the callback URL
 * `<origin>/auth/callback/auth0`.
 * @see https://auth0.com/docs/get-started/applications/application-settings
 */
export function Auth0(options: OIDCUserConfig<Auth0Profile> = {}): OIDCConfig<Auth0Profile> {
  return { id: "auth0", name: "Auth0", type: "oidc", style: { brandColor: "#EB5424" }, options }
}

export default Auth0
