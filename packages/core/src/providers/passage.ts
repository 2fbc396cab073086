// Imported as `@latchkey/core/providers/passage`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

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
    style: { brandColor: "#3d53f6", mark },
    options,
  }
}

const mark =
  "M12 0a12 12 0 1 1 0 24 12 12 0 0 1 0-24m-.9 4.86c-.48 0-.72 0-.9.1a1 1 0 0 0-.38.37c-.1.19-.1.43-.1.92v2.74q0 .16.02.24t.06.14l.18.16.7.56q.15.13.18.2a.2.2 0 0 1 0 .15q-.03.06-.19.2l-.7.56-.17.16-.06.14-.02.24v6.01c0 .49 0 .73.1.92a1 1 0 0 0 .37.38c.19.09.43.09.92.09h1.78c.49 0 .73 0 .92-.1a1 1 0 0 0 .37-.37c.1-.19.1-.43.1-.92v-2.74q0-.16-.02-.24l-.06-.14-.18-.16-.7-.56q-.15-.13-.18-.2a.2.2 0 0 1 0-.15q.02-.06.19-.2l.7-.56.17-.16.06-.14.02-.23V6.25c0-.49 0-.73-.1-.92a1 1 0 0 0-.37-.37c-.19-.1-.43-.1-.92-.1Z"

export default Passage
