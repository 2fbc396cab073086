// Imported as `@latchkey/core/providers/polar`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * User claims of Polar, from the ID token or the userinfo endpoint.
 * @see https://polar.sh/docs/integrate/oauth2/introduction
 */
export interface PolarProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly [claim: string]: AnyValue
}

/**
 * Polar sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email`. `sub_type=user` requests the user. An organization, which has a name and no email
 * address, is rejected. A user has neither name nor image. Register the callback URL `<origin>/auth/callback/polar`.
 * @see https://polar.sh/docs/integrate/oauth2/introduction
 */
export function Polar(options: OIDCUserConfig<PolarProfile> = {}): OIDCConfig<PolarProfile> {
  return {
    id: "polar",
    name: "Polar",
    type: "oidc",
    issuer: "https://polar.sh",
    // The discovery document is on another host than the issuer.
    wellKnown: "https://api.polar.sh/.well-known/openid-configuration",
    authorization: { params: { scope: "openid profile email", sub_type: "user" } },
    checks: ["pkce", "state"],
    profile: ({ sub, name, email }) => {
      if (email === undefined)
        throw new TypeError("The Polar profile has no email: it belongs to an organization, not a user")
      return { id: sub, name: name ?? null, email, image: null }
    },
    style: { mark: neutralMark },
    options,
  }
}

export default Polar
