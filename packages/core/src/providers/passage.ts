// Imported as `@latchkey/core/providers/passage`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import { neutralMark, type StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Passage, from the ID token or the userinfo endpoint.
 * @see https://docs.passage.id
 */
export type PassageProfile = StandardClaims

/**
 * Passage sign-in (OpenID Connect). Requires `issuer`, the app's URL: `https://<app>.withpassage.com`.
 *
 * Scopes: `openid profile email` (default). Register the redirect URI `<origin>/auth/callback/passage`.
 * @deprecated The product was shut down on 16 January 2026. The provider remains for apps that have to migrate stored
 * accounts.
 * @see https://docs.passage.id
 */
export function Passage(options: OIDCUserConfig<PassageProfile> = {}): OIDCConfig<PassageProfile> {
  return {
    id: "passage",
    name: "Passage",
    type: "oidc",
    client: { token_endpoint_auth_method: "client_secret_basic" },
    optionRules: { issuer: issuerUrl("https://harbour.withpassage.com") },
    style: { brandColor: "#3d53f6", mark: neutralMark },
    options,
  }
}

export default Passage
