// Imported as `@latchkey/core/providers/dropbox`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Dropbox API.
 * @see https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account
 */
export interface DropboxProfile {
  readonly account_id: string
  readonly name: { readonly display_name: string }
  readonly email: string
  readonly email_verified?: boolean
  readonly profile_photo_url?: string | null
  readonly [field: string]: AnyValue
}

/**
 * Dropbox sign-in (OAuth 2.0).
 *
 * Scope: `account_info.read`, for the profile. `token_access_type=offline` requests a refresh token. The image may be
 * missing. Register the redirect URI `<origin>/auth/callback/dropbox`.
 * @see https://developers.dropbox.com/oauth-guide
 */
export function Dropbox(options: OAuthUserConfig<DropboxProfile> = {}): OAuth2Config<DropboxProfile> {
  return {
    id: "dropbox",
    name: "Dropbox",
    type: "oauth",
    authorization: {
      url: "https://www.dropbox.com/oauth2/authorize",
      params: { token_access_type: "offline", scope: "account_info.read" },
    },
    token: "https://api.dropboxapi.com/oauth2/token",
    userinfo: {
      url: "https://api.dropboxapi.com/2/users/get_current_account",
      // The call has no arguments, but must be a POST.
      request: (context) => requestProfile(context, { method: "POST" }),
    },
    profile: ({ account_id, name, email, profile_photo_url }) => ({
      id: account_id,
      name: name.display_name,
      email,
      image: profile_photo_url ?? null,
    }),
    style: { brandColor: "#0061fe", mark },
    options,
  }
}

const mark =
  "M6 1.807L0 5.629l6 3.822 6.001-3.822L6 1.807zM18 1.807l-6 3.822 6 3.822 6-3.822-6-3.822zM0 13.274l6 3.822 6.001-3.822L6 9.452l-6 3.822zM18 9.452l-6 3.822 6 3.822 6-3.822-6-3.822zM6 18.371l6.001 3.822 6-3.822-6-3.822L6 18.371z"

export default Dropbox
