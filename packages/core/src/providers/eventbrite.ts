// Imported as `@latchkey/core/providers/eventbrite`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

interface EventbriteEmail {
  readonly email: string
  readonly verified?: boolean
  readonly primary?: boolean
}

/**
 * A user as returned by the Eventbrite API.
 * @see https://www.eventbrite.com/platform/api#/reference/user/retrieve-information-about-a-user-account
 */
export interface EventbriteProfile {
  readonly id: string
  readonly name: string
  readonly emails?: readonly EventbriteEmail[]
  readonly image_id?: string | null
  readonly [field: string]: AnyValue
}

/**
 * Eventbrite sign-in (OAuth 2.0).
 *
 * Scope: `user.profile`, for the profile. The email address is the primary one, else the first. The image's URL is
 * built from its ID and may not exist. Register the redirect URI `<origin>/auth/callback/eventbrite`.
 * @see https://www.eventbrite.com/platform/api#/introduction/authentication
 */
export function Eventbrite(options: OAuthUserConfig<EventbriteProfile> = {}): OAuth2Config<EventbriteProfile> {
  return {
    id: "eventbrite",
    name: "Eventbrite",
    type: "oauth",
    authorization: { url: "https://www.eventbrite.com/oauth/authorize", params: { scope: "user.profile" } },
    token: "https://www.eventbrite.com/oauth/token",
    userinfo: "https://www.eventbriteapi.com/v3/users/me/",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, name, emails = [], image_id }) => ({
      id,
      name,
      email: (emails.find(({ primary }) => primary === true) ?? emails[0])?.email ?? null,
      image: image_id ? `https://img.evbuc.com/${encodeURIComponent(toImageUrl(image_id))}` : null,
    }),
    style: { brandColor: "#f05537", mark },
    options,
  }
}

function toImageUrl(id: string): string {
  return `https://cdn.evbuc.com/images/${id}/1/original.jpg`
}

const mark =
  "M10.54 5.81c2.66-.6 5.3.49 6.78 2.54L5.59 11a6.4 6.4 0 0 1 4.95-5.19m6.84 9.75a6.5 6.5 0 0 1-3.92 2.63c-2.67.6-5.33-.5-6.8-2.58l11.76-2.66 1.92-.43 3.66-.83a12 12 0 0 0-.3-2.33A12 12 0 0 0 9.3.56C2.85 2.02-1.18 8.32.31 14.64s7.94 10.26 14.4 8.8a11.9 11.9 0 0 0 8.24-6.64Z"

export default Eventbrite
