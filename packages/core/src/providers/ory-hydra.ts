// Imported as `@latchkey/core/providers/ory-hydra`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Hydra, from the ID token or the userinfo endpoint.
 * @see https://www.ory.com/docs/hydra/guides/oauth2-clients
 */
export type OryHydraProfile = StandardClaims

/**
 * Ory Hydra sign-in (OpenID Connect), with the ID `hydra`. Requires `issuer`, Hydra's public URL.
 *
 * Scopes: `openid profile email` (default). The consent app determines the token's claims. Register the redirect URI
 * `<origin>/auth/callback/hydra`. The environment variables are `AUTH_HYDRA_ID` and so on.
 * @see https://www.ory.com/docs/hydra/guides/oauth2-clients
 */
export function OryHydra(options: OIDCUserConfig<OryHydraProfile> = {}): OIDCConfig<OryHydraProfile> {
  return {
    id: "hydra",
    name: "Hydra",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://id.example.com") },
    style: { brandColor: "#0F172A", mark },
    options,
  }
}

const mark = "M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12m-6-.75V3l6-3 6 3v2.25l-6-3zm12 13.5V21l-6 3-6-3v-2.25l6 3z"

export default OryHydra
