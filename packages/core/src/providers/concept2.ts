// Imported as `@latchkey/core/providers/concept2`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Concept2 API.
 * @see https://log.concept2.com/developers/documentation/#logbook-users-user
 */
export interface Concept2Profile {
  readonly data: {
    readonly id: number
    readonly username: string
    readonly email?: string | null
    readonly profile_image?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * Concept2 Logbook sign-in (OAuth 2.0).
 *
 * Scopes, separated by commas: `user:read` for the profile and `results:write` for workouts; pass your own to request
 * less. The image may be missing. Register the redirect URI `<origin>/auth/callback/concept2`.
 * @see https://log.concept2.com/developers/documentation/#authentication
 */
export function Concept2(options: OAuthUserConfig<Concept2Profile> = {}): OAuth2Config<Concept2Profile> {
  return {
    id: "concept2",
    name: "Concept2",
    type: "oauth",
    authorization: { url: "https://log.concept2.com/oauth/authorize", params: { scope: "user:read,results:write" } },
    token: "https://log.concept2.com/oauth/access_token",
    userinfo: "https://log.concept2.com/api/users/me",
    profile: ({ data: { id, username, email, profile_image } }) => ({
      id: id.toString(),
      name: username,
      email: email ?? null,
      image: profile_image ?? null,
    }),
    options,
  }
}

export default Concept2
