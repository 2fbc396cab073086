// Imported as `@latchkey/core/providers/salesforce`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

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
    style: { brandColor: "#00a1e0", mark },
    options,
  }
}

const mark =
  "M10 5.42a4.2 4.2 0 0 1 3.05-1.31c1.56 0 2.95.9 3.7 2.2q.95-.45 2.1-.45A5.2 5.2 0 0 1 24 11.08a5.2 5.2 0 0 1-6.2 5.12 3.8 3.8 0 0 1-3.3 1.95q-.9-.02-1.65-.37a4.3 4.3 0 0 1-3.97 2.62 4.3 4.3 0 0 1-4.05-2.82q-.4.08-.82.08a4.07 4.07 0 0 1-2-7.56 4.65 4.65 0 0 1 4.26-6.5c1.53 0 2.85.7 3.72 1.8"

export default Salesforce
