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
  "M22.125 0H1.875C.8394 0 0 .8394 0 1.875v20.25C0 23.1606.8394 24 1.875 24h20.25C23.1606 24 24 23.1606 24 22.125V1.875C24 .8394 23.1606 0 22.125 0zM12 18.75c-.591 0-1.1697-.0413-1.7317-.1209-.5626.3965-3.813 2.6797-4.1198 2.7225 0 0-.1258.0489-.2328-.0141s-.0876-.2282-.0876-.2282c.0322-.2198.8426-3.0183.992-3.5333-2.7452-1.36-4.5701-3.7686-4.5701-6.5135C2.25 6.8168 6.6152 3.375 12 3.375s9.75 3.4418 9.75 7.6875c0 4.2457-4.3652 7.6875-9.75 7.6875zM8.0496 9.8672h-.8777v3.3417c0 .2963-.2523.5372-.5625.5372s-.5625-.2409-.5625-.5372V9.8672h-.8777c-.3044 0-.552-.2471-.552-.5508s.2477-.5508.552-.5508h2.8804c.3044 0 .552.2471.552.5508s-.2477.5508-.552.5508zm10.9879 2.9566a.558.558 0 0 1 .108.4167.5588.5588 0 0 1-.2183.371.5572.5572 0 0 1-.3383.1135.558.558 0 0 1-.4493-.2236l-1.3192-1.7479-.1952.1952v1.2273a.5635.5635 0 0 1-.5627.5628.563.563 0 0 1-.5625-.5625V9.3281c0-.3102.2523-.5625.5625-.5625s.5625.2523.5625.5625v1.209l1.5694-1.5694c.0807-.0807.1916-.1252.312-.1252.1404 0 .2814.0606.3871.1661.0985.0984.1573.2251.1654.3566.0082.1327-.036.2542-.1241.3425l-1.2818 1.2817 1.3845 1.8344zm-8.3502-3.5023c-.095-.2699-.3829-.5475-.7503-.5557-.3663.0083-.6542.2858-.749.5551l-1.3455 3.5415c-.1708.5305-.0217.7272.1333.7988a.8568.8568 0 0 0 .3576.0776c.2346 0 .4139-.0952.4678-.2481l.2787-.7297 1.7152.0001.2785.7292c.0541.1532.2335.2484.4681.2484a.8601.8601 0 0 0 .3576-.0775c.1551-.0713.3041-.2681.1329-.7999l-1.3449-3.5398zm-1.3116 2.4433l.5618-1.5961.5618 1.5961H9.3757zm5.9056 1.3836c0 .2843-.2418.5156-.5391.5156h-1.8047c-.2973 0-.5391-.2314-.5391-.5156V9.3281c0-.3102.2576-.5625.5742-.5625s.5742.2523.5742.5625v3.3047h1.1953c.2974 0 .5392.2314.5392.5156z"

export default Kakao
