// Imported as `@latchkey/core/providers/kakao`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Kakao API.
 * @see https://developers.kakao.com/docs/en/kakaologin/rest-api#req-user-info
 */
export interface KakaoProfile {
  readonly id: number
  readonly kakao_account?: {
    readonly profile?: { readonly nickname?: string; readonly profile_image_url?: string }
    readonly email?: string
    readonly is_email_valid?: boolean
    readonly is_email_verified?: boolean
  }
  readonly [field: string]: AnyValue
}

/**
 * Kakao Login (OAuth 2.0).
 *
 * No scope is sent; the app's configuration determines what users are asked to share. Name and image may be missing,
 * and so may the email address, unless the app belongs to a business. Register the redirect URI
 * `<origin>/auth/callback/kakao`.
 * @see https://developers.kakao.com/docs/en/kakaologin/rest-api
 */
export function Kakao(options: OAuthUserConfig<KakaoProfile> = {}): OAuth2Config<KakaoProfile> {
  return {
    id: "kakao",
    name: "Kakao",
    type: "oauth",
    authorization: "https://kauth.kakao.com/oauth/authorize?scope=",
    token: "https://kauth.kakao.com/oauth/token",
    userinfo: { url: "https://kapi.kakao.com/v2/user/me", request: requestWithVerifiedFlag },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, kakao_account: account }) => ({
      id: id.toString(),
      name: account?.profile?.nickname ?? null,
      email: account?.email ?? null,
      image: account?.profile?.profile_image_url ?? null,
    }),
    style: { brandColor: "#FFCD00", mark },
    options,
  }
}

/** Adds `email_verified`: the email address must be verified and must still belong to this user. */
async function requestWithVerifiedFlag(context: UserinfoRequestContext): Promise<Profile> {
  const response: Profile & Pick<KakaoProfile, "kakao_account"> = await requestProfile(context)
  const { is_email_valid, is_email_verified } = response.kakao_account ?? {}
  return { ...response, email_verified: is_email_valid === true && is_email_verified === true }
}

const mark =
  "M22.13 0H1.88C.84 0 0 .84 0 1.88v20.25C0 23.16.84 24 1.88 24h20.25c1.03 0 1.87-.84 1.87-1.87V1.88C24 .84 23.16 0 22.13 0M12 18.75q-.9 0-1.73-.12c-.56.4-3.81 2.68-4.12 2.72 0 0-.13.05-.23-.01s-.1-.23-.1-.23c.04-.22.85-3.02 1-3.53-2.75-1.36-4.57-3.77-4.57-6.52 0-4.24 4.37-7.68 9.75-7.68s9.75 3.44 9.75 7.68-4.37 7.69-9.75 7.69M8.05 9.87h-.88v3.34c0 .3-.25.54-.56.54s-.56-.24-.56-.54V9.87h-.88a.55.55 0 0 1 0-1.1h2.88a.55.55 0 0 1 0 1.1m10.99 2.95a.6.6 0 0 1 .1.42.6.6 0 0 1-.21.37.6.6 0 0 1-.34.12.6.6 0 0 1-.45-.23l-1.32-1.75-.2.2v1.23a.56.56 0 0 1-.56.56.56.56 0 0 1-.56-.56V9.33a.56.56 0 0 1 1.13 0v1.2l1.56-1.56q.14-.12.32-.13.22 0 .38.17.15.15.17.36 0 .2-.13.34l-1.28 1.28zm-8.35-3.5a.9.9 0 0 0-.75-.55.9.9 0 0 0-.75.55l-1.35 3.54c-.17.53-.02.73.14.8a1 1 0 0 0 .35.08q.38-.01.47-.25l.28-.73h1.72l.27.73q.1.24.47.25a1 1 0 0 0 .36-.08c.15-.07.3-.27.13-.8zm-1.31 2.44.56-1.6.56 1.6zm5.9 1.39c0 .28-.24.51-.54.51h-1.8a.53.53 0 0 1-.54-.51V9.33a.57.57 0 0 1 1.15 0v3.3h1.2c.29 0 .53.23.53.52"

export default Kakao
