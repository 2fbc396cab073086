// Imported as `@latchkey/core/providers/amazon`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * A user as returned by the Amazon API.
 * @see https://developer.amazon.com/docs/login-with-amazon/obtain-customer-profile.html
 */
export interface AmazonProfile {
  /** The same in all apps of one developer. */
  readonly user_id: string
  readonly name?: string
  readonly email?: string
  readonly [field: string]: AnyValue
}

/**
 * Login with Amazon (OAuth 2.0).
 *
 * Scope: `profile`, for the name and email address; `profile:user_id` returns the ID only. There is no image.
 * Register the return URL `<origin>/auth/callback/amazon`.
 * @see https://developer.amazon.com/docs/login-with-amazon/authorization-code-grant.html
 */
export function Amazon(options: OAuthUserConfig<AmazonProfile> = {}): OAuth2Config<AmazonProfile> {
  return {
    id: "amazon",
    name: "Amazon",
    type: "oauth",
    authorization: { url: "https://www.amazon.com/ap/oa", params: { scope: "profile" } },
    token: "https://api.amazon.com/auth/o2/token",
    userinfo: "https://api.amazon.com/user/profile",
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
    profile: ({ user_id, name, email }) => ({ id: user_id, name: name ?? null, email: email ?? null, image: null }),
    style: { mark: neutralMark },
    options,
  }
}

export default Amazon
