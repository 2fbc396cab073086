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
  "M12 0a1.667 1.667 0 0 0-1.666 1.666A1.667 1.667 0 0 0 12 3.334a1.667 1.667 0 0 0 1.666-1.668A1.667 1.667 0 0 0 12 0ZM9.506 1.145A11.572 11.572 0 0 0 .442 12.317a.716.716 0 0 0 1.075.618.702.702 0 0 0 .358-.6 10.136 10.136 0 0 1 5.06-8.666c.843-.486 1.75-.848 2.696-1.074a2.55 2.55 0 0 1-.125-1.452Zm8.015 1.26a.712.712 0 0 0-.695.713.704.704 0 0 0 .34.61 10.133 10.133 0 0 1 4.545 11.587c.314.046.618.15.894.309.148.084.29.183.42.293a11.573 11.573 0 0 0-5.15-13.43.715.715 0 0 0-.354-.082Zm-5.519 3.791a6.247 6.247 0 1 0 .002 12.494 6.247 6.247 0 0 0-.002-12.494Zm0 1.43a4.819 4.819 0 0 1 3.41 8.222 4.817 4.817 0 1 1-3.41-8.222Zm-.01 2.295c-1.412.014-1.896 1.887-.668 2.584l-.435 2.207a.237.237 0 0 0 .234.281h1.772a.236.236 0 0 0 .234-.281l-.438-2.207c.43-.247.694-.706.692-1.202a1.38 1.38 0 0 0-1.39-1.382zm-9.324 6.242a1.667 1.667 0 0 0-1.666 1.666 1.667 1.667 0 0 0 1.666 1.668 1.667 1.667 0 0 0 1.666-1.668 1.667 1.667 0 0 0-1.666-1.666zm18.664 0a1.667 1.667 0 0 0-1.666 1.666 1.667 1.667 0 0 0 1.666 1.668 1.667 1.667 0 0 0 1.666-1.668 1.667 1.667 0 0 0-1.666-1.666zM4.655 19.427c-.195.244-.432.45-.702.608a2.584 2.584 0 0 1-.468.207 11.576 11.576 0 0 0 14.208 2.273.713.713 0 0 0 0-1.238.704.704 0 0 0-.703-.012 10.134 10.134 0 0 1-10.052-.05 10.17 10.17 0 0 1-2.283-1.788z"

export default FusionAuth
