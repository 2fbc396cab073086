// Imported as `@latchkey/core/providers/asgardeo`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"

/**
 * User claims of Asgardeo, from the ID token or the userinfo endpoint.
 * @see https://wso2.com/asgardeo/docs/guides/authentication/user-attributes/
 */
export interface AsgardeoProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Asgardeo sign-in (OpenID Connect). Requires `issuer`, the organization's URL:
 * `https://api.asgardeo.io/t/<organization>`.
 *
 * Scopes: `openid profile email` (default). Name, email address and image depend on the attributes that the app may
 * read. Register the redirect URL `<origin>/auth/callback/asgardeo`.
 * @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/
 */
export function Asgardeo(options: OIDCUserConfig<AsgardeoProfile> = {}): OIDCConfig<AsgardeoProfile> {
  return {
    id: "asgardeo",
    name: "Asgardeo",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://api.asgardeo.io/t/your-organisation") },
    // Tokens and the discovery document use the token endpoint as the issuer, not the organization's URL.
    derive: deriveFromIssuer((base) => {
      const issuer = base.endsWith("/oauth2/token") ? base : `${base}/oauth2/token`
      return { issuer, wellKnown: `${issuer}/.well-known/openid-configuration` }
    }),
    style: { brandColor: "#000" },
    options,
  }
}

export default Asgardeo
