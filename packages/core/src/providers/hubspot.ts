// Imported as `@latchkey/core/providers/hubspot`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { conformRefusals } from "./_shared/refusals.js"
import { assertSuccess, conformFields, requestProfile, withScopeString } from "./_shared/request.js"

/**
 * Metadata of the access token.
 * @see https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/oauth
 */
export interface HubSpotProfile {
  readonly user_id: number | string
  /** An email address. HubSpot does not report whether it is verified. */
  readonly user: string
  readonly [field: string]: AnyValue
}

/**
 * HubSpot sign-in (OAuth 2.0). The token's metadata identifies the user.
 *
 * Scope: `oauth`, which every app has. The name is the email address; there is no image. Register the redirect URL
 * `<origin>/auth/callback/hubspot`.
 * @see https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/oauth
 */
export function HubSpot(options: OAuthUserConfig<HubSpotProfile> = {}): OAuth2Config<HubSpotProfile> {
  return {
    id: "hubspot",
    name: "HubSpot",
    type: "oauth",
    authorization: { url: "https://app.hubspot.com/oauth/authorize", params: { scope: "oauth" } },
    token: {
      url: `https://api.hubapi.com/oauth/${version}/token`,
      conform: async (response) => (await conformError(response.clone())) ?? conformScopes(response),
    },
    userinfo: { url: `https://api.hubapi.com/oauth/${version}/token/introspect`, request: introspect },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ user_id, user }) => ({ id: user_id.toString(), name: user, email: user, image: null }),
    style: { brandColor: "#ff7a59", mark },
    options,
  }
}

/** The API is versioned by date; version 1 ends on 16 February 2027. */
const version = "2026-03"

const conformError = conformRefusals(({ status }) => status === "BAD_REFRESH_TOKEN" || status === "BAD_AUTH_CODE")

/** Lists the granted scopes as `scopes`. */
const conformScopes = conformFields(({ scopes, ...fields }) => withScopeString({ scope: scopes, ...fields }))

/** There is no profile endpoint. The app requests the token's metadata, with its own credentials in the form. */
async function introspect(context: UserinfoRequestContext): Promise<Profile> {
  const { tokens, provider } = context
  const body = new URLSearchParams({
    client_id: provider.clientId ?? "",
    client_secret: provider.clientSecret ?? "",
    token: String(tokens.access_token),
    token_type_hint: "access_token",
  })
  const response = await requestProfile(context, { method: "POST", body, token: "none" })
  assertSuccess(response["active"] !== false, context)
  return response
}

const mark =
  "M18.164 7.93V5.084a2.198 2.198 0 001.267-1.978v-.067A2.2 2.2 0 0017.238.845h-.067a2.2 2.2 0 00-2.193 2.193v.067a2.196 2.196 0 001.252 1.973l.013.006v2.852a6.22 6.22 0 00-2.969 1.31l.012-.01-7.828-6.095A2.497 2.497 0 104.3 4.656l-.012.006 7.697 5.991a6.176 6.176 0 00-1.038 3.446c0 1.343.425 2.588 1.147 3.607l-.013-.02-2.342 2.343a1.968 1.968 0 00-.58-.095h-.002a2.033 2.033 0 102.033 2.033 1.978 1.978 0 00-.1-.595l.005.014 2.317-2.317a6.247 6.247 0 104.782-11.134l-.036-.005zm-.964 9.378a3.206 3.206 0 113.215-3.207v.002a3.206 3.206 0 01-3.207 3.207z"

export default HubSpot
