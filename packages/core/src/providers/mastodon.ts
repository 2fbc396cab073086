// Imported as `@latchkey/core/providers/mastodon`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"

/**
 * A user as returned by the Mastodon API.
 * @see https://docs.joinmastodon.org/entities/Account/
 */
export interface MastodonProfile {
  /** Unique within one instance only. */
  readonly id: string
  readonly username: string
  readonly avatar_static?: string
  readonly [field: string]: AnyValue
}

/**
 * Mastodon sign-in (OAuth 2.0). Requires `issuer`, the URL of the instance on which the app is registered. Account
 * IDs are unique within an instance only, so give each provider its own `id` if you use several instances.
 *
 * Scope: `read`, for the profile; since Mastodon 4.3, `profile` is sufficient. There is no email address. Register
 * the redirect URI `<origin>/auth/callback/mastodon`.
 * @see https://docs.joinmastodon.org/client/token/
 */
export function Mastodon(options: OAuthUserConfig<MastodonProfile> = {}): OAuth2Config<MastodonProfile> {
  return {
    id: "mastodon",
    name: "Mastodon",
    type: "oauth",
    optionRules: { issuer: issuerUrl("https://mastodon.social") },
    authorization: { params: { scope: "read" } },
    derive: deriveFromIssuer((base) => ({
      authorization: `${base}/oauth/authorize`,
      token: `${base}/oauth/token`,
      userinfo: `${base}/api/v1/accounts/verify_credentials`,
    })),
    profile: ({ id, username, avatar_static }) => ({
      id,
      name: username,
      email: null,
      image: avatar_static ?? null,
    }),
    style: { brandColor: "#6364FF", mark },
    options,
  }
}

const mark =
  "M23.27 5.31c-.35-2.57-2.62-4.6-5.3-5C17.5.24 15.78 0 11.8 0h-.03C7.8 0 6.95.24 6.5.3 3.88.7 1.5 2.53.92 5.14a16 16 0 0 0-.26 4c.08 1.88.09 3.75.26 5.61q.18 1.86.62 3.68c.55 2.24 2.78 4.1 4.96 4.86a13.4 13.4 0 0 0 8.04.17c.59-.19 1.27-.4 1.78-.76l.02-.04v-1.8l-.02-.05h-.05a20 20 0 0 1-4.7.54c-2.73 0-3.47-1.29-3.68-1.82a6 6 0 0 1-.32-1.43.05.05 0 0 1 .07-.06q2.29.54 4.63.55l1.13-.01c1.57-.05 3.22-.13 4.76-.42l.11-.03c2.44-.46 4.76-1.92 5-5.6l.02-1.67c0-.51.17-3.63-.02-5.55m-3.75 9.2h-2.56V8.29q0-1.96-1.67-1.98-1.85.01-1.85 2.35v3.4H10.9v-3.4q0-2.35-1.85-2.35-1.67 0-1.67 1.98v6.22H4.82V8.1q0-1.98 1.01-3.13 1.05-1.16 2.74-1.16 1.97 0 2.97 1.5l.63 1.06.64-1.06q1-1.5 2.96-1.5 1.7.01 2.74 1.16a4.6 4.6 0 0 1 1.01 3.12z"

export default Mastodon
