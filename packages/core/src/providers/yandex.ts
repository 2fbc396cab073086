// Imported as `@latchkey/core/providers/yandex`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Yandex API.
 * @see https://yandex.com/dev/id/doc/en/user-information
 */
export interface YandexProfile {
  readonly id: string
  readonly display_name?: string
  readonly real_name?: string
  readonly first_name?: string
  readonly default_email?: string
  readonly emails?: readonly string[]
  readonly default_avatar_id?: string
  readonly is_avatar_empty?: boolean
  readonly [field: string]: AnyValue
}

/**
 * Yandex ID sign-in (OAuth 2.0).
 *
 * Scopes: `login:info` for the name, `login:email` for the email address, `login:avatar` for the image; enable each
 * of them for the app. Yandex does not report whether the email address is verified. Register the redirect URI
 * `<origin>/auth/callback/yandex`.
 * @see https://yandex.com/dev/id/doc/en/codes/code-url
 */
export function Yandex(options: OAuthUserConfig<YandexProfile> = {}): OAuth2Config<YandexProfile> {
  return {
    id: "yandex",
    name: "Yandex",
    type: "oauth",
    authorization: "https://oauth.yandex.ru/authorize?scope=login:info+login:email+login:avatar",
    token: "https://oauth.yandex.ru/token",
    userinfo: "https://login.yandex.ru/info?format=json",
    profile: (profile) => ({
      id: profile.id,
      name: profile.display_name ?? profile.real_name ?? profile.first_name ?? null,
      email: profile.default_email ?? profile.emails?.[0] ?? null,
      image: toAvatar(profile),
    }),
    style: { brandColor: "#fc3f1d", mark },
    options,
  }
}

function toAvatar({ default_avatar_id: id, is_avatar_empty: isEmpty }: YandexProfile): string | null {
  return isEmpty || !id ? null : `https://avatars.yandex.net/get-yapic/${id}/islands-200`
}

const mark =
  "M14.88 14.97V24h2.63V0h-3.92c-3.86 0-7.1 2.6-7.1 7.67 0 3.62 1.44 5.58 3.58 6.66L5.51 24h3.03l4.16-9.03Zm0-2.1h-1.4c-2.29 0-4.16-1.25-4.16-5.14 0-4.02 2.04-5.46 4.16-5.46h1.4Z"

export default Yandex
