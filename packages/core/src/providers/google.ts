// Imported as `@latchkey/core/providers/google`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of Google, from the ID token or the userinfo endpoint.
 * @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
 */
export interface GoogleProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  /** Domain of the Google Workspace or Cloud organization; absent for personal accounts. */
  readonly hd?: string
  readonly [claim: string]: AnyValue
}

/**
 * Google sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email` (default). A refresh token requires the parameters `access_type: "offline"` and
 * `prompt: "consent"`. To admit one organization only, compare `profile.hd` in the `signIn` callback; the parameter
 * `hd` only changes which accounts Google offers. Register the callback URL `<origin>/auth/callback/google`.
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 */
export function Google(options: OIDCUserConfig<GoogleProfile> = {}): OIDCConfig<GoogleProfile> {
  return {
    id: "google",
    name: "Google",
    type: "oidc",
    issuer: "https://accounts.google.com",
    style: { brandColor: "#1a73e8", mark },
    options,
  }
}

const mark =
  "M12.48 10.92v3.28h7.84c-.24 1.84-.853 3.187-1.787 4.133-1.147 1.147-2.933 2.4-6.053 2.4-4.827 0-8.6-3.893-8.6-8.72s3.773-8.72 8.6-8.72c2.6 0 4.507 1.027 5.907 2.347l2.307-2.307C18.747 1.44 16.133 0 12.48 0 5.867 0 .307 5.387.307 12s5.56 12 12.173 12c3.573 0 6.267-1.173 8.373-3.36 2.16-2.16 2.84-5.213 2.84-7.667 0-.76-.053-1.467-.173-2.053H12.48z"

export default Google
