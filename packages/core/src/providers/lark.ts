// Imported as `@latchkey/core/providers/lark`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { oneOf, optional } from "./_shared/options.js"
import {
  assertSuccess,
  conformFields,
  type ResponseFields,
  requestProfile,
  requestTokensAsJson,
} from "./_shared/request.js"

/**
 * A user as returned by the Lark API.
 * @see https://open.larksuite.com/document/server-docs/authentication-management/login-state-management/get
 */
export interface LarkProfile {
  readonly data: {
    /** Differs between apps; `union_id` is the same in all apps of one developer. */
    readonly open_id: string
    readonly name: string
    readonly email?: string
    readonly enterprise_email?: string
    readonly avatar_url?: string
  }
  readonly [field: string]: AnyValue
}

/** Options of the Lark provider. */
export interface LarkOptions extends OAuthUserConfig<LarkProfile> {
  /** `feishu.cn` is the service in China. Default: `larksuite.com`. */
  readonly region?: "larksuite.com" | "feishu.cn" | undefined
}

/**
 * Lark sign-in (OAuth 2.0), known as Feishu in China.
 *
 * No scope is sent. The email address needs `authorization: { params: { scope: "contact:user.email:readonly" } }` and
 * may be missing. A refresh token requires `offline_access`. Register the redirect URL `<origin>/auth/callback/lark`.
 * @see https://open.larksuite.com/document/common-capabilities/sso/api/obtain-oauth-code
 */
export function Lark(options: LarkOptions = {}): OAuth2Config<LarkProfile> {
  const { region = "larksuite.com" } = options
  const api = `https://open.${region}/open-apis/authen`
  return {
    id: "lark",
    name: "Lark",
    type: "oauth",
    optionRules: { region: optional(oneOf(["larksuite.com", "feishu.cn"])) },
    authorization: `https://accounts.${region}/open-apis/authen/v1/authorize?scope=`,
    token: { url: `${api}/v2/oauth/token`, request: requestTokensAsJson, conform: conformFields(toErrorResponse) },
    userinfo: { url: `${api}/v1/user_info`, request: requestUser },
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
    profile: ({ data: { open_id, name, email, enterprise_email, avatar_url } }) => ({
      id: open_id,
      name,
      // An empty string if missing.
      email: email || enterprise_email || null,
      image: avatar_url || null,
    }),
    style: { brandColor: "#3370ff", mark },
    options,
  }
}

/** Any code other than 0 is a failure, regardless of the status. */
function toErrorResponse(fields: ResponseFields): ResponseFields {
  const { code, error = "invalid_grant" } = fields
  return code === 0 || code === undefined ? fields : { error }
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  assertSuccess(response["code"] === 0, context)
  return response
}

const mark =
  "M8.56 21.73c5.6 0 10.46-3.2 12.85-7.89a5.65 5.65 0 0 1-6.47 2.9q-2.26-.58-4.4-1.51A30 30 0 0 1 .33 8.08C.24 7.96 0 8.04 0 8.22l.01 9.26v.75c0 .44.22.85.58 1.1a14.3 14.3 0 0 0 7.97 2.4m3.9-9.65A31 31 0 0 0 4 2.62a.2.2 0 0 1 .12-.35h10.5c.4 0 .77.17 1.02.48a14 14 0 0 1 2.6 5 8.5 8.5 0 0 0-3.52 2.1l-2.14 2.11zm-2.4 2.41q1.45-.85 2.67-2l.06-.07.12-.12 2.15-2.12A8.3 8.3 0 0 1 24 8.44l-.33.38a9 9 0 0 0-1.3 2.05l-.28.54-1.11 2.21a5 5 0 0 1-1.47 1.77l-.26.19a5 5 0 0 1-3.85.77l-.34-.07a30 30 0 0 1-4.46-1.55z"

export default Lark
