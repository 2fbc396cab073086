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
  "M8.691 2.188C3.891 2.188 0 5.476 0 9.53c0 2.212 1.17 4.203 3.002 5.55a.59.59 0 0 1 .213.665l-.39 1.48c-.019.07-.048.141-.048.213 0 .163.13.295.29.295a.326.326 0 0 0 .167-.054l1.903-1.114a.864.864 0 0 1 .717-.098 10.16 10.16 0 0 0 2.837.403c.276 0 .543-.027.811-.05-.857-2.578.157-4.972 1.932-6.446 1.703-1.415 3.882-1.98 5.853-1.838-.576-3.583-4.196-6.348-8.596-6.348zM5.785 5.991c.642 0 1.162.529 1.162 1.18a1.17 1.17 0 0 1-1.162 1.178A1.17 1.17 0 0 1 4.623 7.17c0-.651.52-1.18 1.162-1.18zm5.813 0c.642 0 1.162.529 1.162 1.18a1.17 1.17 0 0 1-1.162 1.178 1.17 1.17 0 0 1-1.162-1.178c0-.651.52-1.18 1.162-1.18zm5.34 2.867c-1.797-.052-3.746.512-5.28 1.786-1.72 1.428-2.687 3.72-1.78 6.22.942 2.453 3.666 4.229 6.884 4.229.826 0 1.622-.12 2.361-.336a.722.722 0 0 1 .598.082l1.584.926a.272.272 0 0 0 .14.047c.134 0 .24-.111.24-.247 0-.06-.023-.12-.038-.177l-.327-1.233a.582.582 0 0 1-.023-.156.49.49 0 0 1 .201-.398C23.024 18.48 24 16.82 24 14.98c0-3.21-2.931-5.837-6.656-6.088V8.89c-.135-.01-.27-.027-.407-.03zm-2.53 3.274c.535 0 .969.44.969.982a.976.976 0 0 1-.969.983.976.976 0 0 1-.969-.983c0-.542.434-.982.97-.982zm4.844 0c.535 0 .969.44.969.982a.976.976 0 0 1-.969.983.976.976 0 0 1-.969-.983c0-.542.434-.982.969-.982z"

export default WeChat
