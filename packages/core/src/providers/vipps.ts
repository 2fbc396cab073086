// Imported as `@latchkey/core/providers/vipps`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of Vipps, from the ID token or the userinfo endpoint.
 * @see https://developer.vippsmobilepay.com/docs/APIs/login-api/
 */
export interface VippsProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly [claim: string]: AnyValue
}

/**
 * Vipps Login (OpenID Connect). Test apps have the issuer `https://apitest.vipps.no/access-management-1.0/access/`.
 *
 * Scopes: `openid name email`. Only the userinfo endpoint returns the name and email address. There is no image, and
 * the ID differs between merchants. Register the redirect URI `<origin>/auth/callback/vipps`.
 * @see https://developer.vippsmobilepay.com/docs/APIs/login-api/
 */
export function Vipps(options: OIDCUserConfig<VippsProfile> = {}): OIDCConfig<VippsProfile> {
  return {
    id: "vipps",
    name: "Vipps",
    type: "oidc",
    issuer: "https://api.vipps.no/access-management-1.0/access/",
    authorization: { params: { scope: "openid name email" } },
    idToken: false,
    checks: ["pkce", "state", "nonce"],
    style: { brandColor: "#f05c18" },
    options,
  }
}

export default Vipps
