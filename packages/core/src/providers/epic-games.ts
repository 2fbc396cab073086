// Imported as `@latchkey/core/providers/epic-games`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Epic Games API.
 * @see https://dev.epicgames.com/docs/web-api-ref/authentication
 */
export interface EpicGamesProfile {
  readonly sub: string
  readonly preferred_username: string
  readonly email?: string
  readonly [claim: string]: AnyValue
}

/**
 * Epic Games sign-in (OAuth 2.0).
 *
 * Scope: `basic_profile`, for the account ID and the display name. The email address is usually missing, and there is
 * no image. Register the redirect URL `<origin>/auth/callback/epic-games`.
 * @see https://dev.epicgames.com/docs/web-api-ref/authentication
 */
export function EpicGames(options: OAuthUserConfig<EpicGamesProfile> = {}): OAuth2Config<EpicGamesProfile> {
  return {
    id: "epic-games",
    name: "Epic Games",
    type: "oauth",
    authorization: { url: "https://www.epicgames.com/id/authorize", params: { scope: "basic_profile" } },
    token: "https://api.epicgames.dev/epic/oauth/v2/token",
    userinfo: "https://api.epicgames.dev/epic/oauth/v2/userInfo",
    checks: ["state"],
    profile: ({ sub, preferred_username, email }) => ({
      id: sub,
      name: preferred_username,
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#313131", mark },
    options,
  }
}

const mark =
  "M3.5 0Q1.6-.1 1.7 1.9v17q0 .5.3.9l.3.2.4.2 8.4 3.5.9.3 1-.3 8.3-3.5.4-.2.3-.2q.4-.4.3-1V2q0-2-1.8-1.9zM17 3.1h.7q1.7 0 1.7 1.7v1.9H18V4.9q0-.6-.5-.6H17q-.5 0-.5.6v5.8q0 .6.5.5h.3q.6 0 .5-.5v-2h1.4v2q0 1.8-1.7 1.8h-.7q-1.7 0-1.7-1.7v-6q0-1.7 1.7-1.7m-12.2 0h3.1v1.4H6.1V7h1.7v1.2H6V11h2v1.3H4.7zm3.8 0h2.2q1.8 0 1.7 1.8v2.4q0 1.8-1.7 1.8H10v3.3H8.5zm4.6 0h1.4v9.3H13zM9.9 4.5v3.4h.6q.6 0 .5-.5V5q0-.6-.5-.6zM6.2 14.6h.6l.5.4-.5.5-.3-.2H6l-.3.2-.1.2v.6l.2.3.2.1.3.1.4-.1v-.3h-.5v-.6h1.3V17l-.6.4H5.6L5 17l-.3-.5-.1-.6v-.5l.4-.5.4-.3zm12 0h.6l.5.4-.4.5-.4-.2h-.6v.3h.4l.4.2.4.2.2.2v.7l-.3.3-.3.2h-1.2L17 17l.5-.5q.3.3.9.3h.2v-.3h-.2l-.2-.1-.4-.2-.3-.1-.3-.3v-.7l.2-.3.4-.2zm-9.4 0h.7l1.2 2.8H10l-.2-.5h-1l-.3.5h-.8zm2.2 0h.8l.7 1.1.6-1h.8v2.7h-.7v-1.6l-.7 1.1-.8-1v1.5H11zm3.5 0h2.2v.7h-1.5v.4h1.4v.6h-1.4v.5h1.5v.6h-2.2zm-5.3 1-.4.7h.7zm-1.2 5h8L12 22z"

export default EpicGames
