// Imported as `@latchkey/core/providers/polar`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

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
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M17.9 3.27A10.54 10.54 0 1 0 6.09 20.75 10.54 10.54 0 0 0 17.91 3.26Zm.2 10.03c-.63 2.94-2.05 5.4-3.75 6.86 1.2-1.8 2.13-4.54 2.47-7.68.43-4.08-.27-7.74-1.66-9.62 2.63 1.45 3.94 5.78 2.94 10.44M4.02 7.9a10.3 10.3 0 0 1 6.02-5.2C7.8 4 5.83 6.46 4.8 9.62c-1.2 3.7-.8 7.4.79 9.83C2.69 16.71 1.93 12 4.02 7.91m1.88 2.78c.62-2.9 2.02-5.34 3.7-6.8-1.18 1.8-2.08 4.5-2.41 7.57-.44 4.14.3 7.84 1.73 9.7-2.68-1.41-4-5.78-3-10.47Zm6.23 9.96c-1.93.04-3.55-3.82-3.62-8.6s1.42-8.68 3.35-8.71 3.55 3.82 3.62 8.6-1.42 8.68-3.35 8.71m7.85-4.57a10.4 10.4 0 0 1-6.21 5.27c2.32-1.27 4.38-3.78 5.43-7.03 1.2-3.65.82-7.3-.71-9.72 2.84 2.76 3.57 7.43 1.5 11.48"

export default Polar
