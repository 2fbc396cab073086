// Imported as `@latchkey/core/providers/dingtalk`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "../types/oauth-provider.js"
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
    style: { brandColor: "#0089ff", mark },
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

const mark =
  "M13.62 4.6C9.27 3 2.92.11 2.92.11 2.47 0 2.4.44 2.4.44a10 10 0 0 0 1.54 5.25c.57.64 9.17 3.26 9.17 3.26S6.5 7.62 4.91 7.16c-1.6-.46-1.1.51-1.1.51.33 1.78 1.87 3.79 3.09 3.98 1.2.19 6.32.11 6.32.11s-1.02.12-2.68.35c-1.22.16-2.78.36-3.19.5-.95.37.69 1.8.69 1.8 2.43 2.21 3.73 1.46 3.73 1.46q1.42-.45 2.44-.7l-.84 3.52h2.43L14.46 24l5.9-7.81h-3.1l.65-1.11.01.02s2.2-3.5 3.03-5.3l.02-.03q.21-.46.28-.74c.49-2.05-3.29-2.85-7.63-4.44"

export default DingTalk
