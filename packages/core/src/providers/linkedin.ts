// Imported as `@latchkey/core/providers/linkedin`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * User claims of LinkedIn, from the ID token or the userinfo endpoint.
 * @see https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export interface LinkedInProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Sign In with LinkedIn (OpenID Connect). The app needs the product of this name.
 *
 * Scopes: `openid profile email` (default). The email address and its verification may both be missing. Register the
 * redirect URL `<origin>/auth/callback/linkedin`.
 * @see https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export function LinkedIn(options: OIDCUserConfig<LinkedInProfile> = {}): OIDCConfig<LinkedInProfile> {
  return {
    id: "linkedin",
    name: "LinkedIn",
    type: "oidc",
    issuer: "https://www.linkedin.com/oauth",
    // LinkedIn rejects Basic authentication, which discovery does not mention.
    client: { token_endpoint_auth_method: "client_secret_post" },
    // LinkedIn enables PKCE manually and for native apps only, and the ID token has no nonce.
    checks: ["state"],
    style: { brandColor: "#069", mark: neutralMark },
    options,
  }
}

export default LinkedIn
