// Imported as `@latchkey/core/providers/pipedrive`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { neutralMark } from "./_shared/profile.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Pipedrive API.
 * @see https://developers.pipedrive.com/docs/api/v1/Users#getCurrentUser
 */
export interface PipedriveProfile {
  readonly data: {
    readonly id: number
    readonly name?: string
    readonly email?: string
    readonly icon_url?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * Pipedrive sign-in (OAuth 2.0).
 *
 * The app's configuration in the Developer Hub determines the scopes, and those in the URL are ignored; the profile
 * only needs the base scope. The image may be missing. Register the callback URL `<origin>/auth/callback/pipedrive`.
 * @see https://pipedrive.readme.io/docs/marketplace-oauth-authorization
 */
export function Pipedrive(options: OAuthUserConfig<PipedriveProfile> = {}): OAuth2Config<PipedriveProfile> {
  return {
    id: "pipedrive",
    name: "Pipedrive",
    type: "oauth",
    authorization: "https://oauth.pipedrive.com/oauth/authorize",
    token: "https://oauth.pipedrive.com/oauth/token",
    userinfo: { url: "https://api.pipedrive.com/v1/users/me", request: requestUser },
    profile: ({ data }) => ({
      id: data.id.toString(),
      name: data.name ?? null,
      email: data.email ?? null,
      image: data.icon_url ?? null,
    }),
    style: { mark: neutralMark },
    options,
  }
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  assertSuccess(response["success"] !== false, context)
  return response
}

export default Pipedrive
