// Imported as `@latchkey/core/providers/strava`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"
import { conformRefusals } from "./_shared/refusals.js"
import type { ResponseFields } from "./_shared/request.js"

/**
 * A user as returned by the Strava API.
 * @see https://developers.strava.com/docs/reference/#api-Athletes-getLoggedInAthlete
 */
export interface StravaProfile {
  readonly id: number
  readonly firstname?: string
  readonly lastname?: string
  /** URL of the image. */
  readonly profile?: string
  readonly [field: string]: AnyValue
}

/**
 * Strava sign-in (OAuth 2.0).
 *
 * Scope: `read`, for the user's profile; separate several scopes with commas. Users may decline each. There is no
 * email address. Set the authorization callback domain to the app's host; the callback URL is
 * `<origin>/auth/callback/strava`.
 * @see https://developers.strava.com/docs/authentication/
 */
export function Strava(options: OAuthUserConfig<StravaProfile> = {}): OAuth2Config<StravaProfile> {
  return {
    id: "strava",
    name: "Strava",
    type: "oauth",
    authorization: {
      url: "https://www.strava.com/api/v3/oauth/authorize",
      params: { scope: "read", approval_prompt: "auto" },
    },
    token: { url: "https://www.strava.com/api/v3/oauth/token", conform: conformRefusals(isRefusal) },
    userinfo: "https://www.strava.com/api/v3/athlete",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, firstname, lastname, profile }) => ({
      id: id.toString(),
      name: joinName(firstname, lastname),
      email: null,
      image: profile ?? null,
    }),
    style: { brandColor: "#FC4C02", mark },
    options,
  }
}

/** Errors name what is wrong, such as `{ resource: "RefreshToken", field: "refresh_token", code: "invalid" }`. */
function isRefusal({ errors }: ResponseFields): boolean {
  const names = (Array.isArray(errors) ? errors : []).map((error) => `${Object(error).resource} ${Object(error).code}`)
  return names.some((name) => name === "RefreshToken invalid" || name === "AuthorizationCode invalid")
}

const mark =
  "M15.387 17.944l-2.089-4.116h-3.065L15.387 24l5.15-10.172h-3.066m-7.008-5.599l2.836 5.598h4.172L10.463 0l-7 13.828h4.169"

export default Strava
