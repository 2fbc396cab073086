// Imported as `@latchkey/core/providers/zitadel`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of ZITADEL, from the ID token or the userinfo endpoint.
 * @see https://zitadel.com/docs/guides/integrate/login/oidc
 */
export type ZitadelProfile = StandardClaims

/**
 * ZITADEL sign-in (OpenID Connect). Requires `issuer`, the instance's URL.
 *
 * Scopes: `openid profile email` (default). The ID token contains the profile if "User Info inside ID Token" is
 * enabled for the app; otherwise set `idToken: false`. Register the redirect URI `<origin>/auth/callback/zitadel`.
 * @see https://zitadel.com/docs/guides/integrate/login/oidc
 */
export function Zitadel(options: OIDCUserConfig<ZitadelProfile> = {}): OIDCConfig<ZitadelProfile> {
  return {
    id: "zitadel",
    name: "ZITADEL",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://harbour.zitadel.cloud") },
    options,
  }
}

export default Zitadel
