// Imported as `@latchkey/core/providers/instagram`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { conformFields, withTokenType } from "./_shared/request.js"

/**
 * A user as returned by the Instagram API.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started
 */
export interface InstagramProfile {
  readonly id: string
  readonly username: string
  readonly account_type?: string
  readonly profile_picture_url?: string
  readonly [field: string]: AnyValue
}

/**
 * Instagram sign-in (OAuth 2.0), for professional accounts only, because the Basic Display API for personal accounts
 * was shut down.
 *
 * Scope: `instagram_business_basic`, for the profile; separate several scopes with commas. There is no email address.
 * Instagram appends `#_` to the callback URL, which is not part of the code. Register the redirect URI
 * `<origin>/auth/callback/instagram`.
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export function Instagram(options: OAuthUserConfig<InstagramProfile> = {}): OAuth2Config<InstagramProfile> {
  return {
    id: "instagram",
    name: "Instagram",
    type: "oauth",
    authorization: {
      url: "https://www.instagram.com/oauth/authorize",
      params: { scope: "instagram_business_basic" },
    },
    token: {
      url: "https://api.instagram.com/oauth/access_token",
      // The response contains only the token, the user's ID and the permissions.
      conform: conformFields(withTokenType),
    },
    userinfo: {
      url: "https://graph.instagram.com/me",
      // Only the requested fields are returned.
      params: { fields: "id,username,account_type,name,profile_picture_url" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, username, profile_picture_url }) => ({
      id,
      name: username,
      email: null,
      image: profile_picture_url ?? null,
    }),
    style: { brandColor: "#FF0069", mark },
    options,
  }
}

const mark =
  "M7.03.08a9 9 0 0 0-2.91.57A6 6 0 0 0 2 2.04 6 6 0 0 0 .62 4.16c-.3.77-.5 1.64-.56 2.92A85 85 0 0 0 0 12.02c0 3.26.02 3.67.08 4.95s.27 2.15.57 2.91c.3.79.72 1.46 1.39 2.12a6 6 0 0 0 2.12 1.38c.77.3 1.64.5 2.92.56 1.27.05 1.69.06 4.94.06s3.67-.02 4.95-.08a9 9 0 0 0 2.91-.57c.79-.3 1.46-.72 2.12-1.38a6 6 0 0 0 1.38-2.13c.3-.77.5-1.64.56-2.92.05-1.28.06-1.68.06-4.94s-.02-3.67-.08-4.95a9 9 0 0 0-.57-2.91A6 6 0 0 0 21.97 2 6 6 0 0 0 19.84.62c-.77-.3-1.64-.5-2.92-.56A86 86 0 0 0 11.98 0C8.72 0 8.3.02 7.03.08m.14 21.7a7 7 0 0 1-2.23-.41 4 4 0 0 1-1.38-.9 4 4 0 0 1-.9-1.37 7 7 0 0 1-.42-2.23 85 85 0 0 1-.08-4.85c0-3.2 0-3.58.06-4.85.05-1.17.25-1.8.41-2.23.22-.56.48-.96.9-1.38a4 4 0 0 1 1.38-.9 7 7 0 0 1 2.22-.42c1.27-.06 1.65-.07 4.85-.07 3.2-.01 3.58 0 4.85.06 1.17.05 1.8.24 2.23.4.56.22.96.48 1.38.9s.68.82.9 1.38c.17.42.36 1.05.42 2.22.06 1.27.07 1.65.08 4.85s0 3.59-.06 4.85a7 7 0 0 1-.41 2.23c-.22.56-.48.96-.9 1.38a4 4 0 0 1-1.38.9c-.42.17-1.05.36-2.22.42a85 85 0 0 1-4.85.08c-3.2 0-3.58 0-4.85-.06m9.78-16.2a1.44 1.44 0 1 0 1.44-1.44 1.44 1.44 0 0 0-1.44 1.45M5.84 12a6.16 6.16 0 1 0 12.32 0 6.16 6.16 0 0 0-12.32 0M8 12a4 4 0 1 1 4 4 4 4 0 0 1-4-4"

export default Instagram
