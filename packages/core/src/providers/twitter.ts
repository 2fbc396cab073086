// Imported as `@latchkey/core/providers/twitter`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { conformRefusals } from "./_shared/refusals.js"

/**
 * A user as returned by the Twitter API.
 * @see https://docs.x.com/x-api/users/get-my-user
 */
export interface TwitterProfile {
  readonly data: {
    readonly id: string
    readonly name?: string
    readonly username?: string
    readonly confirmed_email?: string
    readonly profile_image_url?: string
  }
  readonly [field: string]: AnyValue
}

/**
 * X (formerly Twitter) sign-in (OAuth 2.0).
 *
 * Scopes: `users.read tweet.read` for the profile, `users.email` for the email address, `offline.access` for a
 * refresh token. The email address is confirmed, and requires "Request email from users" in the developer console.
 * Without that setting, remove `users.email` from the scope and `confirmed_email` from `userinfo`. Register the
 * callback URI `<origin>/auth/callback/twitter`.
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export function Twitter(options: OAuthUserConfig<TwitterProfile> = {}): OAuth2Config<TwitterProfile> {
  return {
    id: "twitter",
    name: "Twitter",
    type: "oauth",
    authorization: {
      url: "https://x.com/i/oauth2/authorize",
      params: { scope: "users.read tweet.read users.email offline.access" },
      maxStateLength: 500,
    },
    token: {
      url: "https://api.x.com/2/oauth2/token",
      conform: conformRefusals(({ error_description: text }) =>
        /^Value passed for the (token|authorization code) was invalid/.test(String(text)),
      ),
    },
    revocation: "https://api.x.com/2/oauth2/revoke",
    userinfo: "https://api.x.com/2/users/me?user.fields=profile_image_url,confirmed_email",
    checks: ["pkce", "state"],
    profile: ({ data }) => ({
      id: data.id,
      name: data.name ?? null,
      email: data.confirmed_email ?? null,
      image: data.profile_image_url ?? null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M14.234 10.162 22.977 0h-2.072l-7.591 8.824L7.251 0H.258l9.168 13.343L.258 24H2.33l8.016-9.318L16.749 24h6.993zm-2.837 3.299-.929-1.329L3.076 1.56h3.182l5.965 8.532.929 1.329 7.754 11.09h-3.182z"

export default Twitter
