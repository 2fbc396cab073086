// Imported as `@latchkey/core/providers/ping-id`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Ping Identity, from the ID token or the userinfo endpoint.
 * @see https://docs.pingidentity.com/pingone/applications/p1_edit_application_oidc.html
 */
export type PingIdProfile = StandardClaims

/**
 * Ping Identity sign-in (OpenID Connect), with PingOne. Requires `issuer`:
 * `https://auth.pingone.<region>/<environment id>/as`.
 *
 * Scopes: `openid profile email` (default). Claims depend on the app's attribute mappings. Register the redirect URI
 * `<origin>/auth/callback/ping-id`.
 * @see https://docs.pingidentity.com/pingone/applications/p1_edit_application_oidc.html
 */
export function PingId(options: OIDCUserConfig<PingIdProfile> = {}): OIDCConfig<PingIdProfile> {
  return {
    id: "ping-id",
    name: "Ping Identity",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://auth.pingone.eu/3f0e7c51-ad1a-4c55-9d4f-52ac4d3cf6d0/as") },
    style: { brandColor: "#b8232f" },
    options,
  }
}

export default PingId
