// Imported as `@latchkey/core/providers/reddit`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { requestsNaming } from "./_shared/user-agent.js"

/**
 * A user as returned by the Reddit API.
 * @see https://www.reddit.com/dev/api/#GET_api_v1_me
 */
export interface RedditProfile {
  readonly id: string
  readonly name: string
  readonly [field: string]: AnyValue
}

/** Reddit counts the requests of a user agent, so that all apps would share one limit. */
const requests = requestsNaming((clientId) => `web:${clientId}:latchkey`)

/**
 * Reddit sign-in (OAuth 2.0). Since November 2025, new apps need Reddit's approval.
 *
 * Scope: `identity`, for the user's profile. There is no email address and no image. A refresh token requires the
 * parameter `duration: "permanent"`. Register the redirect URI `<origin>/auth/callback/reddit`.
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export function Reddit(options: OAuthUserConfig<RedditProfile> = {}): OAuth2Config<RedditProfile> {
  return {
    id: "reddit",
    name: "Reddit",
    type: "oauth",
    authorization: "https://www.reddit.com/api/v1/authorize?scope=identity",
    token: { url: "https://www.reddit.com/api/v1/access_token", request: requests.token },
    revocation: { url: "https://www.reddit.com/api/v1/revoke_token", request: requests.token },
    userinfo: { url: "https://oauth.reddit.com/api/v1/me", request: requests.userinfo },
    checks: ["state"],
    style: { brandColor: "#FF4500", mark },
    options,
  }
}

const mark =
  "M12 0a12 12 0 0 0-8.48 20.49l-2.3 2.28A.72.72 0 0 0 1.75 24H12a12 12 0 0 0 0-24m4.39 3.2a2 2 0 1 1-1.95 2.46A2.4 2.4 0 0 0 12.41 8c1.77.08 3.4.58 4.68 1.37a2.8 2.8 0 0 1 4.51 2.22 2.8 2.8 0 0 1-1.6 2.53c-.08 3.26-3.63 5.88-8 5.88-4.35 0-7.9-2.62-8-5.87a2.8 2.8 0 1 1 2.9-4.75A9.6 9.6 0 0 1 11.56 8a3.23 3.23 0 0 1 2.88-3.22 2 2 0 0 1 1.96-1.6m-8.1 8.4c-.78 0-1.46.77-1.5 1.8-.05 1 .64 1.42 1.42 1.42.79 0 1.37-.37 1.42-1.38.05-1.02-.55-1.84-1.34-1.84m7.4 0c-.78 0-1.38.82-1.33 1.84.05 1.01.63 1.38 1.42 1.38s1.47-.41 1.42-1.43c-.04-1.02-.72-1.8-1.5-1.8m-3.7 4q-1.46.01-2.76.14a.22.22 0 0 0-.19.3 3.2 3.2 0 0 0 5.9 0 .22.22 0 0 0-.18-.3q-1.3-.12-2.76-.13"

export default Reddit
