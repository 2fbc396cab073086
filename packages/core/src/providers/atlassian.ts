// Imported as `@latchkey/core/providers/atlassian`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { conformRefusals } from "./_shared/refusals.js"

/**
 * A user as returned by the Atlassian API.
 * @see https://developer.atlassian.com/cloud/confluence/user-identity-api
 */
export interface AtlassianProfile {
  readonly account_id: string
  readonly name: string
  readonly email?: string
  readonly picture?: string
  readonly [field: string]: AnyValue
}

/**
 * Atlassian sign-in (OAuth 2.0, "3LO").
 *
 * Scope: `read:me`, for the profile from the User Identity API, which must be enabled for the app. A refresh token
 * requires the scope `offline_access`, and changes with each use. The email address may be missing. Register the
 * callback URL `<origin>/auth/callback/atlassian`.
 * @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps
 */
export function Atlassian(options: OAuthUserConfig<AtlassianProfile> = {}): OAuth2Config<AtlassianProfile> {
  return {
    id: "atlassian",
    name: "Atlassian",
    type: "oauth",
    authorization: {
      url: "https://auth.atlassian.com/authorize",
      // Without the audience, no token is issued. Without the prompt, a second sign-in with more scopes is rejected.
      params: { audience: "api.atlassian.com", scope: "read:me", prompt: "consent" },
    },
    token: {
      url: "https://auth.atlassian.com/oauth/token",
      conform: conformRefusals((fields) => fields["error_description"] === "refresh_token is invalid"),
    },
    userinfo: "https://api.atlassian.com/me",
    // PKCE is not supported.
    checks: ["state"],
    profile: ({ account_id, name, email, picture }) => ({
      id: account_id,
      name,
      email: email ?? null,
      image: picture ?? null,
    }),
    style: { brandColor: "#0052cc", mark },
    options,
  }
}

const mark =
  "M7.12 11.084a.683.683 0 00-1.16.126L.075 22.974a.703.703 0 00.63 1.018h8.19a.678.678 0 00.63-.39c1.767-3.65.696-9.203-2.406-12.52zM11.434.386a15.515 15.515 0 00-.906 15.317l3.95 7.9a.703.703 0 00.628.388h8.19a.703.703 0 00.63-1.017L12.63.38a.664.664 0 00-1.196.006z"

export default Atlassian
