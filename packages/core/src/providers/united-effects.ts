// Imported as `@latchkey/core/providers/united-effects`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of United Effects, from the ID token or the userinfo endpoint.
 * @see https://docs.unitedeffects.com/integrations
 */
export type UnitedEffectsProfile = StandardClaims

/**
 * United Effects Auth sign-in (OpenID Connect). Requires `issuer`: `https://auth.unitedeffects.com/<group>`.
 *
 * Scopes: `openid email profile`. Register the redirect URI `<origin>/auth/callback/united-effects`.
 * @see https://docs.unitedeffects.com/integrations
 */
export function UnitedEffects(options: OIDCUserConfig<UnitedEffectsProfile> = {}): OIDCConfig<UnitedEffectsProfile> {
  return {
    id: "united-effects",
    name: "United Effects",
    type: "oidc",
    derive: ({ issuer }) => ({
      // Without the resource, the token has no audience.
      authorization: { params: { scope: "openid email profile", resource: issuer } },
    }),
    optionRules: { issuer: issuerUrl("https://auth.unitedeffects.com/harbour") },
    options,
  }
}

export default UnitedEffects
