// Imported as `@latchkey/core/providers/click-up`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the ClickUp API.
 * @see https://developer.clickup.com/reference/getauthorizeduser
 */
export interface ClickUpProfile {
  readonly user: {
    readonly id: number
    readonly username: string
    readonly email?: string
    readonly color?: string
    readonly profilePicture?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * ClickUp sign-in (OAuth 2.0).
 *
 * There are no scopes; users select workspaces. The image may be missing. The user also has `profilePicture` and
 * `color`. Register the redirect URL `<origin>/auth/callback/click-up`.
 * @see https://developer.clickup.com/docs/authentication
 */
export function ClickUp(options: OAuthUserConfig<ClickUpProfile> = {}): OAuth2Config<ClickUpProfile> {
  return {
    id: "click-up",
    name: "ClickUp",
    type: "oauth",
    authorization: "https://app.clickup.com/api?scope=",
    token: "https://api.clickup.com/api/v2/oauth/token",
    userinfo: "https://api.clickup.com/api/v2/user",
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["state"],
    profile: ({ user: { id, username, email, color, profilePicture } }) => ({
      id: id.toString(),
      name: username,
      email: email ?? null,
      image: profilePicture ?? null,
      profilePicture,
      color,
    }),
    style: { brandColor: "#24292f", mark },
    options,
  }
}

const mark =
  "M2 18.439l3.69-2.828c1.961 2.56 4.044 3.739 6.363 3.739 2.307 0 4.33-1.166 6.203-3.704L22 18.405C19.298 22.065 15.941 24 12.053 24 8.178 24 4.788 22.078 2 18.439zM12.04 6.15l-6.568 5.66-3.036-3.52L12.055 0l9.543 8.296-3.05 3.509z"

export default ClickUp
