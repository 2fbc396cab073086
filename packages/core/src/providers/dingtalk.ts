// Imported as `@latchkey/core/providers/dingtalk`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"
import { conformFields, postJson, renameParameter, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the DingTalk API.
 * @see https://open.dingtalk.com/document/orgapp/dingtalk-retrieve-user-information
 */
export interface DingTalkProfile {
  /** The same in all apps of one developer; `openId` differs between apps. */
  readonly unionId: string
  readonly nick: string
  readonly email?: string | null
  readonly avatarUrl?: string | null
  readonly [field: string]: AnyValue
}

/**
 * DingTalk sign-in (OAuth 2.0, with nonstandard parameter names).
 *
 * Scope: `openid`, for the profile; `openid corpid` also returns the organization. The email address is often
 * missing, and the image may be. Register the redirect URL `<origin>/auth/callback/dingtalk`.
 * @see https://open.dingtalk.com/document/orgapp/tutorial-obtaining-user-personal-information
 */
export function DingTalk(options: OAuthUserConfig<DingTalkProfile> = {}): OAuth2Config<DingTalkProfile> {
  return {
    id: "dingtalk",
    name: "DingTalk",
    type: "oauth",
    authorization: {
      url: "https://login.dingtalk.com/oauth2/auth",
      params: { scope: "openid", prompt: "consent" },
      // The callback calls the code `authCode`.
      conform: ({ parameters }) =>
        parameters.has("code") ? undefined : renameParameter(parameters, "authCode", "code"),
    },
    token: {
      url: "https://api.dingtalk.com/v1.0/oauth2/userAccessToken",
      request: requestTokens,
      conform: conformFields(({ accessToken, refreshToken, expireIn, ...fields }) => ({
        ...fields,
        access_token: accessToken,
        refresh_token: refreshToken,
        expires_in: expireIn,
        token_type: "bearer",
      })),
    },
    userinfo: {
      url: "https://api.dingtalk.com/v1.0/contact/users/me",
      request: (context) => requestProfile(context, { token: { header: "x-acs-dingtalk-access-token" } }),
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is not supported.
    checks: ["state"],
    profile: ({ unionId, nick, email, avatarUrl }) => ({
      id: unionId,
      name: nick,
      email: email ?? null,
      image: avatarUrl ?? null,
    }),
    style: { mark: neutralMark },
    options,
  }
}

/** Sends the fields as JSON, with the vendor's names and without the redirect URI. */
function requestTokens({ url, headers, params, provider }: TokenRequestContext): Promise<Response> {
  const isRefresh = params.get("grant_type") === "refresh_token"
  const fields = {
    clientId: params.get("client_id"),
    clientSecret: params.get("client_secret"),
    ...(isRefresh ? { refreshToken: params.get("refresh_token") } : { code: params.get("code") }),
    grantType: params.get("grant_type"),
  }
  return postJson(provider.fetch, { url, headers, fields })
}

export default DingTalk
