// Imported as `@latchkey/core/providers/logto`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import { neutralMark } from "./_shared/profile.js"

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
 * Scopes: `openid email profile`, and `offline_access` for a refresh token. A missing name is replaced with the user
 * name. The email address and image may be missing. Register the redirect URI `<origin>/auth/callback/logto`.
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
    style: { mark: neutralMark },
    options,
  }
}

export default Logto
