// Imported as `@latchkey/core/providers/kick`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

interface KickUser {
  readonly user_id: number
  readonly name: string
  readonly email?: string | null
  readonly profile_picture?: string | null
}

/**
 * A user as returned by the Kick API.
 * @see https://docs.kick.com/apis/users
 */
export interface KickProfile {
  readonly data: readonly [KickUser, ...KickUser[]]
  readonly [field: string]: AnyValue
}

/**
 * Kick sign-in (OAuth 2.1).
 *
 * Scope: `user:read`, for the profile. The email address and image may be missing. Register the redirect URL
 * `<origin>/auth/callback/kick`.
 * @see https://docs.kick.com/getting-started/generating-tokens-oauth2-flow
 */
export function Kick(options: OAuthUserConfig<KickProfile> = {}): OAuth2Config<KickProfile> {
  return {
    id: "kick",
    name: "Kick",
    type: "oauth",
    authorization: { url: "https://id.kick.com/oauth/authorize", params: { scope: "user:read" } },
    token: "https://id.kick.com/oauth/token",
    userinfo: { url: "https://api.kick.com/public/v1/users", request: requestOwner },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Both are required.
    checks: ["pkce", "state"],
    profile: ({ data: [user] }) => ({
      id: user.user_id.toString(),
      name: user.name,
      email: user.email ?? null,
      image: user.profile_picture ?? null,
    }),
    style: { brandColor: "#53FC19", mark },
    options,
  }
}

/** Returns a list of users; without IDs in the query, only the token's owner. */
async function requestOwner(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  const { data: users } = response
  assertSuccess(Array.isArray(users) && users.length === 1, context)
  return response
}

const mark =
  "M1.333 0h8v5.333H12V2.667h2.667V0h8v8H20v2.667h-2.667v2.666H20V16h2.667v8h-8v-2.667H12v-2.666H9.333V24h-8Z"

export default Kick
