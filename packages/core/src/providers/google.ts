// Imported as `@latchkey/core/providers/google`.

import type { AnyValue } from "@latchkey/types"
import type { MarkPath, OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

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

const mark: readonly MarkPath[] = [
  {
    path: "M23.71 12.22c0-.98-.08-1.7-.25-2.44H12.23v4.44h6.6a5.8 5.8 0 0 1-2.45 3.88l-.02.15L19.9 21l.24.02c2.26-2.09 3.56-5.15 3.56-8.8",
    color: "#4285f4",
  },
  {
    path: "M12.23 23.92a11.4 11.4 0 0 0 7.92-2.9l-3.77-2.92a7 7 0 0 1-4.15 1.2 7.2 7.2 0 0 1-6.8-4.98l-.14.02-3.7 2.85-.04.14c1.97 3.9 6 6.59 10.68 6.59",
    color: "#34a853",
  },
  { path: "M5.43 14.32a7.4 7.4 0 0 1-.01-4.73l-.01-.15-3.74-2.9-.12.05a12 12 0 0 0 0 10.74Z", color: "#fbbc05" },
  {
    path: "M12.23 4.62c2.25 0 3.76.97 4.63 1.78l3.37-3.3a11.5 11.5 0 0 0-8-3.1C7.56 0 3.52 2.68 1.55 6.6l3.87 3a7.2 7.2 0 0 1 6.81-4.98",
    color: "#eb4335",
  },
]

export default Google
