// Imported as `@latchkey/core/providers/google`.
import type { OIDCConfig, OIDCUserConfig } from "../contract/oauth-provider.js"

/** @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload */
export interface GoogleProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  /** Domain of the Google Workspace or Cloud organization; absent for private accounts. */
  readonly hd?: string
  readonly [claim: string]: unknown
}

/**
 * Google sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email`, the default. A refresh token comes only with the parameters `access_type: "offline"` and
 * `prompt: "consent"`. To admit one organization, compare `profile.hd` in the `signIn` callback; the parameter `hd` alone only changes
 * what is offered. Register the callback URL `<origin>/auth/callback/google`.
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 */
export function Google(options: OIDCUserConfig<GoogleProfile> = {}): OIDCConfig<GoogleProfile> {
  return {
    id: "google",
    name: "Google",
    type: "oidc",
    issuer: "https://accounts.google.com",
    style: { brandColor: "#1a73e8" },
    options,
  }
}

export default Google
