// Imported as `@latchkey/core/providers/naver`.

import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/** @see https://developers.naver.com/docs/login/api/api.md */
export interface NaverProfile {
  readonly response: {
    readonly id: string
    readonly nickname?: string
    readonly email?: string
    readonly profile_image?: string
  }
  readonly [field: string]: unknown
}

/**
 * Naver sign-in (OAuth 2.0).
 *
 * Scopes are not looked at: which fields come is set for the app in Naver's console; nickname, address and image are
 * each absent if the app does not ask or the person declines. The address is not known to be verified. Register the
 * callback URL `<origin>/auth/callback/naver`.
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
