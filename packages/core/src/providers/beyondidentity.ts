// Imported as `@latchkey/core/providers/beyondidentity`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of Beyond Identity, from the ID token or the userinfo endpoint.
 * @see https://docs.beyondidentity.com/
 */
export interface BeyondIdentityProfile {
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly email?: string
  readonly [claim: string]: AnyValue
}

/**
 * Beyond Identity sign-in (OpenID Connect). Requires `issuer`, which the console shows for the application.
 *
 * Scopes: `openid profile email` (default). The user also has `preferred_username`; there is no image. Register the
 * redirect URI `<origin>/auth/callback/beyondidentity`.
 * @see https://docs.beyondidentity.com/
 */
export function BeyondIdentity(options: OIDCUserConfig<BeyondIdentityProfile> = {}): OIDCConfig<BeyondIdentityProfile> {
  return {
    id: "beyondidentity",
    name: "Beyond Identity",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://auth-us.beyondidentity.com/v1/tenants/a/realms/b/applications/c") },
    profile: ({ sub, name, email, preferred_username }) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: null,
      preferred_username,
    }),
    style: { brandColor: "#5077c5" },
    options,
  }
}

export default BeyondIdentity
