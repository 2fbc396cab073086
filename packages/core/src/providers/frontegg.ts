// Imported as `@latchkey/core/providers/frontegg`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"

/**
 * Claims of the ID token.
 * @see https://developers.frontegg.com/guides/authentication
 */
export interface FronteggProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Frontegg sign-in (OpenID Connect). Requires `issuer`, the login domain: `https://<subdomain>.frontegg.com`.
 *
 * Scopes: `openid profile email` (default). The profile comes from the ID token, because the userinfo endpoint
 * returns Frontegg's own user record. Register the redirect URL `<origin>/auth/callback/frontegg`.
 * @see https://developers.frontegg.com/guides/authentication
 */
export function Frontegg(options: OIDCUserConfig<FronteggProfile> = {}): OIDCConfig<FronteggProfile> {
  return {
    id: "frontegg",
    name: "Frontegg",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://app-tenant.frontegg.com") },
    derive: deriveFromIssuer((base) => ({
      wellKnown: `${base}/oauth/.well-known/openid-configuration`,
      authorization: `${base}/oauth/authorize`,
      token: `${base}/oauth/token`,
      userinfo: `${base}/identity/resources/users/v2/me`,
    })),
    options,
  }
}

export default Frontegg
