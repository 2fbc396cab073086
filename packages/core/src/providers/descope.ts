// Imported as `@latchkey/core/providers/descope`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl, optional } from "./_shared/options.js"

/**
 * User claims of Descope, from the ID token or the userinfo endpoint.
 * @see https://docs.descope.com/auth-methods/oauth/custom-claims
 */
export interface DescopeProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Descope sign-in (OpenID Connect). The client ID is the project ID, which determines the issuer. With a custom
 * domain or another region, set `issuer`.
 *
 * Scopes: `openid profile email` (default). Register the redirect URL `<origin>/auth/callback/descope`.
 * @see https://docs.descope.com/getting-started/oidc-endpoints
 */
export function Descope(options: OIDCUserConfig<DescopeProfile> = {}): OIDCConfig<DescopeProfile> {
  return {
    id: "descope",
    name: "Descope",
    type: "oidc",
    optionRules: { issuer: optional(issuerUrl("https://api.euc1.descope.com/your-project-id")) },
    derive: ({ issuer, clientId = "" }) => ({
      issuer: issuer ?? `https://api.descope.com/${encodeURIComponent(clientId)}`,
    }),
    checks: ["pkce", "state"],
    style: { brandColor: "#1C1C23" },
    options,
  }
}

export default Descope
