// Imported as `@latchkey/core/providers/wechat`.

import type { AnyValue } from "@latchkey/types"
import type {
  AuthorizationResponseContext,
  OAuth2Config,
  OAuthUserConfig,
  TokenRequestContext,
  UserinfoRequestContext,
} from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { oneOf, optional } from "./_shared/options.js"
import { assertSuccess, conformFields, requestProfile, withRenamedParameter, withTokenType } from "./_shared/request.js"

/**
 * A user as returned by the WeChat API.
 * @see https://developers.weixin.qq.com/doc/oplatform/en/Website_App/WeChat_Login/Wechat_Login.html
 */
export interface WeChatProfile {
  readonly openid: string
  readonly unionid?: string
  readonly nickname?: string
  readonly headimgurl?: string
  readonly [field: string]: AnyValue
}

/** Options of the WeChat provider. */
export interface WeChatOptions extends OAuthUserConfig<WeChatProfile> {
  /** `WebsiteApp` shows a QR code; `OfficialAccount` is for pages inside WeChat. Default: `WebsiteApp`. */
  readonly platformType?: "WebsiteApp" | "OfficialAccount" | undefined
}

const platforms = {
  WebsiteApp: { path: "qrconnect", scope: "snsapi_login" },
  OfficialAccount: { path: "oauth2/authorize", scope: "snsapi_userinfo" },
}

/**
 * WeChat sign-in (OAuth 2.0, with nonstandard parameter names).
 *
 * Scope: `snsapi_login` for websites, `snsapi_userinfo` for official accounts; separate several scopes with commas.
 * There is no email address. If the app belongs to no open platform account, `unionid` is missing and the ID is
 * `openid`, which differs between apps. Set the authorization callback domain to the app's host; the callback URL is
 * `<origin>/auth/callback/wechat`.
 * @see https://developers.weixin.qq.com/doc/oplatform/en/Website_App/WeChat_Login/Wechat_Login.html
 */
export function WeChat(options: WeChatOptions = {}): OAuth2Config<WeChatProfile> {
  const { path, scope } = platforms[options.platformType ?? "WebsiteApp"] ?? platforms.WebsiteApp
  return {
    id: "wechat",
    name: "WeChat",
    type: "oauth",
    authorization: {
      url: `https://open.weixin.qq.com/connect/${path}#wechat_redirect`,
      params: { scope },
      maxStateLength: 128,
      request: ({ url }) => withRenamedParameter(url, "client_id", "appid"),
      conform: toErrorResponse,
    },
    token: {
      url: "https://api.weixin.qq.com/sns/oauth2/access_token",
      request: requestTokens,
      conform: conformFields((fields) =>
        fields["errcode"] ? { error: toErrorCode(fields["errcode"]) } : withTokenType(fields),
      ),
    },
    userinfo: { url: "https://api.weixin.qq.com/sns/userinfo", request: requestUser },
    // Adds the client ID and secret to the parameters, which are renamed below.
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["state"],
    optionRules: { platformType: optional(oneOf(["WebsiteApp", "OfficialAccount"])) },
    profile: ({ openid, unionid, nickname, headimgurl }) => ({
      id: unionid ?? openid,
      name: nickname ?? null,
      email: null,
      image: headimgurl || null,
    }),
    style: { brandColor: "#07C160", mark },
    options,
  }
}

/** If the user declines, the callback contains only the state. */
function toErrorResponse({ parameters }: AuthorizationResponseContext): URLSearchParams {
  if (!parameters.has("code") && !parameters.has("error")) parameters.set("error", "access_denied")
  return parameters
}

/** The refresh token is invalid, or has expired. */
const refusedRefresh: ReadonlySet<unknown> = new Set([40030, 42002])

function toErrorCode(errcode: unknown): string {
  return refusedRefresh.has(errcode) ? "invalid_grant" : `errcode_${errcode}`
}

/** WeChat reads the query, has its own names for client ID and secret, and refreshes at another URL, without the secret. */
function requestTokens({ url, headers, params, provider }: TokenRequestContext): Promise<Response> {
  const isRefresh = params.get("grant_type") === "refresh_token"
  const target = new URL(isRefresh ? "refresh_token" : url, url)
  for (const name of [isRefresh ? "refresh_token" : "code", "grant_type"]) {
    target.searchParams.set(name, params.get(name) ?? "")
  }
  target.searchParams.set("appid", params.get("client_id") ?? "")
  if (!isRefresh) target.searchParams.set("secret", params.get("client_secret") ?? "")
  headers.delete("content-type")
  return provider.fetch(target, { headers })
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const url = new URL(String(context.url))
  url.searchParams.set("openid", String(context.tokens["openid"]))
  const response = await requestProfile(context, { url, token: { query: "access_token" } })
  assertSuccess(!response["errcode"], context)
  return response
}

const mark =
  "M8.7 2.19C3.9 2.19 0 5.48 0 9.53c0 2.21 1.17 4.2 3 5.55a.6.6 0 0 1 .21.66l-.39 1.48-.04.22c0 .16.13.3.29.3a.3.3 0 0 0 .16-.06l1.9-1.11a1 1 0 0 1 .72-.1 10 10 0 0 0 2.84.4q.41-.01.81-.05a5.85 5.85 0 0 1 1.93-6.45 8.3 8.3 0 0 1 5.86-1.83c-.58-3.59-4.2-6.35-8.6-6.35m-2.91 3.8c.64 0 1.16.53 1.16 1.18a1.17 1.17 0 0 1-1.16 1.18 1.17 1.17 0 0 1-1.17-1.18c0-.65.52-1.18 1.17-1.18m5.8 0c.65 0 1.17.53 1.17 1.18a1.17 1.17 0 0 1-1.16 1.18 1.17 1.17 0 0 1-1.16-1.18c0-.65.52-1.18 1.16-1.18m5.35 2.87a8 8 0 0 0-5.28 1.78 5.5 5.5 0 0 0-1.78 6.22c.94 2.46 3.66 4.23 6.88 4.23q1.25 0 2.36-.33a.7.7 0 0 1 .6.08l1.59.93.14.04c.13 0 .24-.1.24-.24l-.04-.18-.33-1.23-.02-.16a.5.5 0 0 1 .2-.4 5.8 5.8 0 0 0 2.5-4.62c0-3.21-2.93-5.84-6.66-6.09zm-2.53 3.27c.53 0 .97.44.97.98a1 1 0 0 1-.97.99 1 1 0 0 1-.97-.99c0-.54.43-.98.97-.98m4.84 0c.54 0 .97.44.97.98a1 1 0 0 1-.97.99 1 1 0 0 1-.97-.99c0-.54.44-.98.97-.98"

export default WeChat
