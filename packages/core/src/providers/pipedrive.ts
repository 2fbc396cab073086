// Imported as `@latchkey/core/providers/pipedrive`.

import type { AnyValue } from "@latchkey/types"
import type { MarkPath, OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
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
    style: { brandColor: "#027737", mark },
    options,
  }
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  assertSuccess(response["success"] !== false, context)
  return response
}

const mark: readonly MarkPath[] = [
  { path: "M4 0h16a4 4 0 0 1 4 4v16a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4", color: "#027737" },
  {
    path: "M13.16 4.48a4 4 0 0 0-3.11 1.27C10 5.3 9.7 4.73 8.55 4.73H6.03v2.6h1.03q.24-.01.23.23v11.96h2.97V14.7A4 4 0 0 0 13 15.72c2.91 0 4.95-2.32 4.95-5.62.02-3.36-1.92-5.62-4.8-5.62m-.61 8.63c-1.61 0-2.34-1.53-2.34-2.95 0-2.24 1.22-3.05 2.38-3.05 1.4 0 2.36 1.22 2.36 3.03-.01 2.06-1.21 2.97-2.4 2.97",
    color: "#fff",
  },
]

export default Pipedrive
