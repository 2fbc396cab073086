// Imported as `@latchkey/core/providers/onelogin`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of OneLogin, from the ID token or the userinfo endpoint.
 * @see https://developers.onelogin.com/openid-connect
 */
export type OneLoginProfile = StandardClaims

/**
 * OneLogin sign-in (OpenID Connect). Requires `issuer`, the account's URL: `https://<subdomain>.onelogin.com`.
 *
 * Scopes: `openid profile email` (default). The email address and image may be missing. Register the redirect URI
 * `<origin>/auth/callback/onelogin`.
 * @see https://developers.onelogin.com/openid-connect
 */
export function OneLogin(options: OIDCUserConfig<OneLoginProfile> = {}): OIDCConfig<OneLoginProfile> {
  return {
    id: "onelogin",
    name: "OneLogin",
    type: "oidc",
    derive: deriveFromIssuer((base) => {
      const issuer = `${base.replace(/\/oidc\/2$/, "")}/oidc/2`
      return { issuer, wellKnown: `${issuer}/.well-known/openid-configuration` }
    }),
    optionRules: { issuer: issuerUrl("https://harbour.onelogin.com") },
    style: { brandColor: "#1c1f2a" },
    options,
  }
}

export default OneLogin
