// Imported as `@latchkey/core/providers/okta`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Okta, from the ID token or the userinfo endpoint.
 * @see https://developer.okta.com/docs/guides/implement-grant-type/authcode/main/
 */
export type OktaProfile = StandardClaims

/**
 * Okta sign-in (OpenID Connect). Requires `issuer`: `https://<org>.okta.com`, or `https://<org>.okta.com/oauth2/<id>`
 * for an authorization server.
 *
 * Scopes: `openid profile email` (default). The organization determines the profile's contents. Register the sign-in
 * redirect URI `<origin>/auth/callback/okta`.
 * @see https://developer.okta.com/docs/guides/implement-grant-type/authcode/main/
 */
export function Okta(options: OIDCUserConfig<OktaProfile> = {}): OIDCConfig<OktaProfile> {
  return {
    id: "okta",
    name: "Okta",
    type: "oidc",
    checks: ["pkce", "state"],
    optionRules: { issuer: issuerUrl("https://harbour.okta.com") },
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M12 0C5.389 0 0 5.35 0 12s5.35 12 12 12 12-5.35 12-12S18.611 0 12 0zm0 18c-3.325 0-6-2.675-6-6s2.675-6 6-6 6 2.675 6 6-2.675 6-6 6z"

export default Okta
