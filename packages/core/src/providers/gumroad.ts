// Imported as `@latchkey/core/providers/gumroad`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Gumroad API.
 * @see https://gumroad.com/api#user
 */
export interface GumroadProfile {
  readonly user: {
    readonly user_id: string
    readonly name?: string | null
    readonly display_name?: string | null
    /** The pending address, until a new email address is confirmed. */
    readonly email?: string | null
    /** URL of an image; the profile's own URL is `url`. */
    readonly profile_url?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * Gumroad sign-in (OAuth 2.0).
 *
 * Scope: `view_profile`, for the profile. The email address may be unconfirmed, and never counts as verified. Name
 * and image may be missing. Register the redirect URI `<origin>/auth/callback/gumroad`.
 * @see https://gumroad.com/api#api-authentication
 */
export function Gumroad(options: OAuthUserConfig<GumroadProfile> = {}): OAuth2Config<GumroadProfile> {
  return {
    id: "gumroad",
    name: "Gumroad",
    type: "oauth",
    authorization: { url: "https://gumroad.com/oauth/authorize", params: { scope: "view_profile" } },
    token: "https://gumroad.com/oauth/token",
    userinfo: { url: "https://api.gumroad.com/v2/user", request: requestUnverified },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is not supported.
    checks: ["state"],
    profile: ({ user: { user_id, name, display_name, email, profile_url } }) => ({
      id: user_id,
      name: name ?? display_name ?? null,
      email: email ?? null,
      image: profile_url ?? null,
    }),
    style: { brandColor: "#FF90E8", mark },
    options,
  }
}

/** Adds `email_verified: false`, so an account is never linked by its email address. */
async function requestUnverified(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  assertSuccess(response["success"] === true, context)
  return { ...response, email_verified: false }
}

const mark =
  "M12 0A12 12 0 0 0 0 12a12 12 0 0 0 12 12 12 12 0 0 0 12-12A12 12 0 0 0 12 0Zm-.007 5.12c4.48 0 5.995 3.025 6.064 4.744h-3.239c-.069-.962-.897-2.406-2.896-2.406-2.136 0-3.514 1.857-3.514 4.126 0 2.27 1.378 4.125 3.514 4.125 1.93 0 2.758-1.512 3.103-3.025h-3.103v-1.238h6.509v6.327h-2.855v-3.989c-.207 1.444-1.102 4.264-4.617 4.264-3.516 0-5.584-2.82-5.584-6.326 0-3.645 2.276-6.602 6.618-6.602z"

export default Gumroad
