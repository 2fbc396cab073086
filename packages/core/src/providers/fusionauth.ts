// Imported as `@latchkey/core/providers/fusionauth`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl, matching, optional } from "./_shared/options.js"
import { joinName } from "./_shared/profile.js"

/**
 * User claims of FusionAuth, from the ID token or the userinfo endpoint.
 * @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/tokens
 */
export interface FusionAuthProfile {
  readonly sub: string
  readonly name?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/** Options of the FusionAuth provider. */
export interface FusionAuthOptions extends OIDCUserConfig<FusionAuthProfile> {
  /** A UUID. Required if the server has several tenants. */
  readonly tenantId?: string | undefined
}

/**
 * FusionAuth sign-in (OpenID Connect). Requires `issuer`, the server's URL, which must also be the tenant's issuer.
 *
 * Scopes: `openid email profile`, and `offline_access` for a refresh token. Name and image may be missing; a missing
 * name is composed of its parts, or is the user name. Register the redirect URL `<origin>/auth/callback/fusionauth`.
 * @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/endpoints
 */
export function FusionAuth(options: FusionAuthOptions = {}): OIDCConfig<FusionAuthProfile> {
  const { tenantId } = options
  const query = tenantId === undefined ? "" : `?${new URLSearchParams({ tenantId })}`
  return {
    id: "fusionauth",
    name: "FusionAuth",
    type: "oidc",
    optionRules: {
      issuer: issuerUrl("https://auth.example.com"),
      tenantId: optional(matching(/^[\da-f-]{36}$/i, "must be the tenant's UUID")),
    },
    authorization: { params: { scope: "openid offline_access email profile", tenantId } },
    token: { conform: dropChallenge },
    derive: deriveFromIssuer((base) => ({
      wellKnown: `${base}/.well-known/openid-configuration${query}`,
      token: `${base}/oauth2/token`,
      userinfo: `${base}/oauth2/userinfo`,
    })),
    checks: ["pkce", "state"],
    profile: ({ sub, name, given_name, family_name, preferred_username, email, picture }) => ({
      id: sub,
      name: name ?? joinName(given_name, family_name) ?? preferred_username ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
    style: { brandColor: "#F58320", mark },
    options,
  }
}

/**
 * Successful responses also contain a challenge, as if the client authentication had failed.
 * @see https://github.com/FusionAuth/fusionauth-issues/issues/2645
 */
function dropChallenge(response: Response): Response | undefined {
  if (!response.ok || !response.headers.has("www-authenticate")) return undefined
  const headers = new Headers(response.headers)
  headers.delete("www-authenticate")
  return new Response(response.body, { status: response.status, headers })
}

const mark =
  "M12 0a1.67 1.67 0 0 0-1.67 1.67A1.67 1.67 0 0 0 12 3.33a1.67 1.67 0 0 0 1.67-1.66A1.67 1.67 0 0 0 12 0M9.5 1.15A11.6 11.6 0 0 0 .45 12.32a.72.72 0 0 0 1.08.61.7.7 0 0 0 .36-.6 10.1 10.1 0 0 1 5.06-8.66 10 10 0 0 1 2.7-1.07 2.6 2.6 0 0 1-.13-1.46Zm8.02 1.26a.7.7 0 0 0-.7.7.7.7 0 0 0 .35.62 10.1 10.1 0 0 1 4.54 11.59 2.5 2.5 0 0 1 1.31.6 11.6 11.6 0 0 0-5.15-13.43 1 1 0 0 0-.35-.09M12 6.2a6.25 6.25 0 1 0 0 12.49 6.25 6.25 0 0 0 0-12.5m0 1.43a4.82 4.82 0 0 1 3.41 8.22 4.82 4.82 0 1 1-3.4-8.22m0 2.3c-1.42 0-1.9 1.88-.68 2.58l-.43 2.2a.24.24 0 0 0 .23.28h1.78a.24.24 0 0 0 .23-.28l-.44-2.2c.43-.25.7-.71.7-1.2A1.4 1.4 0 0 0 12 9.91m-9.33 6.23A1.67 1.67 0 0 0 1 17.83a1.67 1.67 0 0 0 1.67 1.67 1.67 1.67 0 0 0 1.66-1.67 1.67 1.67 0 0 0-1.66-1.67m18.66 0a1.67 1.67 0 0 0-1.66 1.67 1.67 1.67 0 0 0 1.66 1.67A1.67 1.67 0 0 0 23 17.83a1.67 1.67 0 0 0-1.67-1.67M4.66 19.43q-.3.37-.7.6a3 3 0 0 1-.47.21 11.6 11.6 0 0 0 14.2 2.28.71.71 0 0 0 0-1.24.7.7 0 0 0-.7-.02 10.1 10.1 0 0 1-10.05-.05 10 10 0 0 1-2.28-1.78"

export default FusionAuth
