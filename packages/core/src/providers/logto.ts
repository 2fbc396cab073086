// Imported as `@latchkey/core/providers/logto`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of Logto, from the ID token or the userinfo endpoint.
 * @see https://docs.logto.io/end-user-flows/user-profile
 */
export interface LogtoProfile {
  readonly sub: string
  readonly name?: string | null
  readonly username?: string | null
  readonly email?: string | null
  readonly email_verified?: boolean
  readonly picture?: string | null
  readonly [claim: string]: AnyValue
}

/**
 * Logto sign-in (OpenID Connect). Requires `issuer`, the tenant's URL with `/oidc`:
 * `https://<tenant>.logto.app/oidc`.
 *
 * Scopes: `openid email profile` and `offline_access`. A refresh token also requires `prompt: "consent"`, or "Always issue
 * refresh token" in the app's settings. A missing name is replaced with the user name. The email address and image may be
 * missing. Register the redirect URI `<origin>/auth/callback/logto`.
 * @see https://docs.logto.io/integrate-logto/third-party-applications
 */
export function Logto(options: OIDCUserConfig<LogtoProfile> = {}): OIDCConfig<LogtoProfile> {
  return {
    id: "logto",
    name: "Logto",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://tenant.logto.app/oidc") },
    authorization: { params: { scope: "offline_access openid email profile" } },
    profile: ({ sub, name, username, email, picture }) => ({
      id: sub,
      name: name ?? username ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
    style: { brandColor: "#4b2efb", mark },
    options,
  }
}

const mark =
  "M2.05 3.79c0-.69 0-1.03.13-1.3q.18-.38.55-.6c.26-.17.62-.21 1.34-.31L14.29.18C15.2.07 15.68 0 16.04.14q.48.19.75.62c.19.32.19.76.19 1.65v19.2c0 .89 0 1.33-.2 1.65q-.26.43-.74.62c-.36.13-.83.07-1.75-.06l-10.22-1.4c-.72-.1-1.08-.14-1.34-.3a1.4 1.4 0 0 1-.55-.6c-.13-.28-.13-.62-.13-1.3zm10.94 6.47q-.01-.28.04-.4a.4.4 0 0 1 .14-.17q.1-.05.35-.07l.83-.09c.22-.02.33-.03.42.01q.1.06.17.18c.05.09.05.21.05.46v3.64c0 .25 0 .37-.05.46a.4.4 0 0 1-.17.18c-.09.04-.2.03-.42 0l-.83-.08q-.26-.02-.35-.07a.4.4 0 0 1-.14-.18c-.04-.08-.04-.18-.04-.4zm6.8-7.71h-1.32v19.4h1.31c.76 0 1.14 0 1.43-.15a1.4 1.4 0 0 0 .6-.6c.14-.28.14-.66.14-1.42V4.72c0-.76 0-1.14-.15-1.43a1.4 1.4 0 0 0-.59-.6c-.29-.14-.67-.14-1.43-.14"

export default Logto
