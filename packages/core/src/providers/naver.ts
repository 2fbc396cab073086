// Imported as `@latchkey/core/providers/naver`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Naver API.
 * @see https://developers.naver.com/docs/login/api/api.md
 */
export interface NaverProfile {
  readonly response: {
    readonly id: string
    readonly nickname?: string
    readonly email?: string
    readonly profile_image?: string
  }
  readonly [field: string]: AnyValue
}

/**
 * Naver sign-in (OAuth 2.0).
 *
 * Scopes are ignored. The app's configuration in Naver's console determines the fields; nickname, email address and
 * image are each missing if the app does not request them or the user declines. Naver does not report whether the
 * email address is verified. Register the callback URL `<origin>/auth/callback/naver`.
 * @see https://developers.naver.com/docs/login/api/api.md
 */
export function Naver(options: OAuthUserConfig<NaverProfile> = {}): OAuth2Config<NaverProfile> {
  return {
    id: "naver",
    name: "Naver",
    type: "oauth",
    authorization: "https://nid.naver.com/oauth2.0/authorize",
    token: "https://nid.naver.com/oauth2.0/token",
    userinfo: "https://openapi.naver.com/v1/nid/me",
    profile: ({ response }) => ({
      id: response.id,
      name: response.nickname ?? null,
      email: response.email ?? null,
      image: response.profile_image ?? null,
    }),
    style: { brandColor: "#03C75A", mark },
    options,
  }
}

const mark = "M16.273 12.845 7.376 0H0v24h7.726V11.156L16.624 24H24V0h-7.727v12.845Z"

export default Naver
