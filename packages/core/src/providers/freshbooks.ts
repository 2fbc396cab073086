// Imported as `@latchkey/core/providers/freshbooks`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"

/**
 * A user as returned by the Freshbooks API.
 * @see https://www.freshbooks.com/api/me_endpoint
 */
export interface FreshBooksProfile {
  readonly response: {
    readonly id: number
    readonly first_name?: string | null
    readonly last_name?: string | null
    readonly email?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * FreshBooks sign-in (OAuth 2.0).
 *
 * Scope: `user:profile:read`, for the profile. There is no image. Register the redirect URI
 * `<origin>/auth/callback/freshbooks`; it must be https.
 * @see https://www.freshbooks.com/api/authentication
 */
export function FreshBooks(options: OAuthUserConfig<FreshBooksProfile> = {}): OAuth2Config<FreshBooksProfile> {
  return {
    id: "freshbooks",
    name: "Freshbooks",
    type: "oauth",
    authorization: { url: "https://auth.freshbooks.com/oauth/authorize", params: { scope: "user:profile:read" } },
    token: "https://api.freshbooks.com/auth/oauth/token",
    userinfo: "https://api.freshbooks.com/auth/api/v1/users/me",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ response: { id, first_name, last_name, email } }) => ({
      id: id.toString(),
      name: joinName(first_name, last_name),
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#0075dd" },
    options,
  }
}

export default FreshBooks
