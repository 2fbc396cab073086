// Imported as `@latchkey/core/providers/amazon`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

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
    style: { brandColor: "#ff9900", mark },
    options,
  }
}

const mark =
  "M14.2 7.1c-3.84.12-7.5 1.18-7.5 5.02 0 2.67 1.61 3.97 3.78 3.97a5.4 5.4 0 0 0 4.22-1.86c.5.68.62 1 1.49 1.68q.3.18.62-.07l1.92-1.67q.25-.25 0-.62c-.44-.68-.93-1.18-.93-2.42V7.16c0-1.67.12-3.22-1.12-4.34-1.05-1-2.35-1.24-3.84-1.3-3.29-.06-5.46 1.74-5.77 3.84q-.06.5.43.56l2.3.31c.37.06.56-.25.62-.5a2.1 2.1 0 0 1 2.67-1.42c1.24.37 1.11 1.8 1.11 2.8m-2.23 6.5c-.93 0-1.55-.8-1.55-1.86.06-2.23 1.8-2.6 3.78-2.6v1.11c0 1.99-1.05 3.35-2.23 3.35m10.42 6.58a5.2 5.2 0 0 0 1.55-3.54c0-.43-.06-.5-.5-.62-.8-.25-2.85-.3-3.84.62-.19.19-.13.31.06.31.68-.12 2.79-.37 3.1.13.25.43-.5 2.17-.74 2.91-.13.31.12.37.37.19M.25 16.7c5.95 5.65 15.32 5.83 21.4 1.55.43-.24 0-.74-.38-.55A23.3 23.3 0 0 1 .5 16.4c-.25-.2-.5.12-.25.3"

export default Amazon
