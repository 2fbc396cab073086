// Imported as `@latchkey/core/providers/lark`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { oneOf, optional } from "./_shared/options.js"
import { neutralMark } from "./_shared/profile.js"
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
    style: { mark: neutralMark },
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

export default Lark
