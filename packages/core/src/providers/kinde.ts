// Imported as `@latchkey/core/providers/kinde`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of Kinde, from the ID token or the userinfo endpoint.
 * @see https://docs.kinde.com/build/tokens/about-id-tokens/
 */
export interface KindeProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Kinde sign-in (OpenID Connect). Requires `issuer`, the business's domain: `https://<business>.kinde.com`.
 *
 * Scopes: `openid profile email` (default). The image may be missing. Register the callback URL
 * `<origin>/auth/callback/kinde`.
 * @see https://docs.kinde.com/developer-tools/about/using-kinde-without-an-sdk/
 */
export function Kinde(options: OIDCUserConfig<KindeProfile> = {}): OIDCConfig<KindeProfile> {
  return {
    id: "kinde",
    name: "Kinde",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://business.kinde.com") },
    checks: ["state", "pkce"],
    style: { brandColor: "#0F0F0F" },
    options,
  }
}

export default Kinde
