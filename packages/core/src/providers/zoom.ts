// Imported as `@latchkey/core/providers/zoom`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { joinName } from "./_shared/profile.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Zoom API.
 * @see https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId}
 */
export interface ZoomProfile {
  readonly id: string
  readonly first_name?: string
  readonly last_name?: string
  readonly email?: string
  /** 1 if the email address is verified. */
  readonly verified?: number
  readonly pic_url?: string
  readonly [field: string]: AnyValue
}

/**
 * Zoom sign-in (OAuth 2.0).
 *
 * The app's configuration determines the scopes; it needs `user:read:user`. The image may be missing. Register the
 * OAuth redirect URL `<origin>/auth/callback/zoom`.
 * @see https://developers.zoom.us/docs/integrations/oauth/
 */
export function Zoom(options: OAuthUserConfig<ZoomProfile> = {}): OAuth2Config<ZoomProfile> {
  return {
    id: "zoom",
    name: "Zoom",
    type: "oauth",
    // An empty scope is not sent.
    authorization: "https://zoom.us/oauth/authorize?scope",
    token: "https://zoom.us/oauth/token",
    userinfo: { url: "https://api.zoom.us/v2/users/me", request: requestUser },
    profile: ({ id, first_name, last_name, email, pic_url }) => ({
      id,
      name: joinName(first_name, last_name),
      email: email ?? null,
      image: pic_url ?? null,
    }),
    style: { brandColor: "#0b5cff", mark },
    options,
  }
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  return { ...response, email_verified: response["verified"] === 1 }
}

const mark =
  "M5.033 14.649H.743a.74.74 0 0 1-.686-.458.74.74 0 0 1 .16-.808L3.19 10.41H1.06A1.06 1.06 0 0 1 0 9.35h3.957c.301 0 .57.18.686.458a.74.74 0 0 1-.161.808L1.51 13.59h2.464c.585 0 1.06.475 1.06 1.06zM24 11.338c0-1.14-.927-2.066-2.066-2.066-.61 0-1.158.265-1.537.686a2.061 2.061 0 0 0-1.536-.686c-1.14 0-2.066.926-2.066 2.066v3.311a1.06 1.06 0 0 0 1.06-1.06v-2.251a1.004 1.004 0 0 1 2.013 0v2.251c0 .586.474 1.06 1.06 1.06v-3.311a1.004 1.004 0 0 1 2.012 0v2.251c0 .586.475 1.06 1.06 1.06zM16.265 12a2.728 2.728 0 1 1-5.457 0 2.728 2.728 0 0 1 5.457 0zm-1.06 0a1.669 1.669 0 1 0-3.338 0 1.669 1.669 0 0 0 3.338 0zm-4.82 0a2.728 2.728 0 1 1-5.458 0 2.728 2.728 0 0 1 5.457 0zm-1.06 0a1.669 1.669 0 1 0-3.338 0 1.669 1.669 0 0 0 3.338 0z"

export default Zoom
