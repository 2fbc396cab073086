// Imported as `@latchkey/core/providers/linkedin`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

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
    style: { brandColor: "#0a66c2", mark },
    options,
  }
}

const mark =
  "M20.45 20.45h-3.56v-5.57c0-1.32-.02-3.03-1.85-3.03-1.85 0-2.13 1.44-2.13 2.94v5.66H9.35V9h3.42v1.56h.04a3.8 3.8 0 0 1 3.37-1.85c3.6 0 4.27 2.37 4.27 5.46zM5.34 7.43a2.06 2.06 0 0 1-2.07-2.06 2.06 2.06 0 1 1 2.07 2.06m1.78 13.02H3.56V9h3.56ZM22.22 0H1.78C.8 0 0 .77 0 1.73v20.54C0 23.23.8 24 1.77 24h20.45c.98 0 1.78-.77 1.78-1.73V1.73C24 .77 23.2 0 22.22 0"

export default LinkedIn
