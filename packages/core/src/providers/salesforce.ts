// Imported as `@latchkey/core/providers/salesforce`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import { neutralMark, type StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Salesforce, from the ID token or the userinfo endpoint.
 * @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_openid.htm
 */
export type SalesforceProfile = StandardClaims

/**
 * Salesforce sign-in (OpenID Connect). A sandbox or a My Domain has its own issuer: `https://test.salesforce.com` or
 * `https://<domain>.my.salesforce.com`.
 *
 * Scopes: `openid profile email` (default). The profile comes from the userinfo endpoint, because the ID token does
 * not contain it. Register the callback URL `<origin>/auth/callback/salesforce`.
 * @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_openid.htm
 */
export function Salesforce(options: OIDCUserConfig<SalesforceProfile> = {}): OIDCConfig<SalesforceProfile> {
  return {
    id: "salesforce",
    name: "Salesforce",
    type: "oidc",
    issuer: "https://login.salesforce.com",
    idToken: false,
    // Salesforce does not send `expires_in`. Sessions last for two hours unless an administrator changes it.
    token: { expiresIn: 2 * 60 * 60 },
    checks: ["pkce", "state", "nonce"],
    optionRules: { issuer: issuerUrl("https://harbour.my.salesforce.com") },
    style: { brandColor: "#00a1e0", mark: neutralMark },
    options,
  }
}

export default Salesforce
