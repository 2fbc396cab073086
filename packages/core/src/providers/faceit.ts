// Imported as `@latchkey/core/providers/faceit`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the FACEIT API.
 * @see https://docs.faceit.com/docs/faceit-connect
 */
export interface FaceItProfile {
  readonly guid: string
  readonly nickname: string
  readonly email?: string
  readonly picture?: string
  readonly [field: string]: AnyValue
}

/**
 * FACEIT Connect sign-in (OAuth 2.0).
 *
 * Scopes: `openid profile email` (default). The name is the nickname. The email address and image may be missing.
 * Register the redirect URL `<origin>/auth/callback/faceit`.
 * @see https://docs.faceit.com/docs/faceit-connect
 */
export function FaceIt(options: OAuthUserConfig<FaceItProfile> = {}): OAuth2Config<FaceItProfile> {
  return {
    id: "faceit",
    name: "FACEIT",
    type: "oauth",
    // Without this parameter, the page assumes that it is a popup and does not redirect.
    authorization: "https://accounts.faceit.com/accounts?redirect_popup=true",
    token: "https://api.faceit.com/auth/v1/oauth/token",
    userinfo: "https://api.faceit.com/auth/v1/resources/userinfo",
    profile: ({ guid, nickname, email, picture }) => ({
      id: guid,
      name: nickname,
      email: email ?? null,
      image: picture ?? null,
    }),
    style: { brandColor: "#FF5500", mark },
    options,
  }
}

const mark =
  "M23.999 2.705a.167.167 0 00-.312-.1 1141.27 1141.27 0 00-6.053 9.375H.218c-.221 0-.301.282-.11.352 7.227 2.73 17.667 6.836 23.5 9.134.15.06.39-.08.39-.18z"

export default FaceIt
