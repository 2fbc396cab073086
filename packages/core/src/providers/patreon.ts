// Imported as `@latchkey/core/providers/patreon`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Patreon API.
 * @see https://docs.patreon.com/#get-api-oauth2-v2-identity
 */
export interface PatreonProfile {
  readonly data: {
    readonly id: string
    readonly attributes: {
      readonly full_name?: string
      readonly email?: string | null
      readonly image_url?: string
      readonly is_email_verified?: boolean
    }
  }
  readonly email_verified?: boolean
  readonly [field: string]: AnyValue
}

/**
 * Patreon sign-in (OAuth 2.0).
 *
 * Scopes: `identity` for the profile, `identity[email]` for the email address, which is null if the user declines.
 * Register the callback URL `<origin>/auth/callback/patreon`.
 * @see https://docs.patreon.com/#oauth
 */
export function Patreon(options: OAuthUserConfig<PatreonProfile> = {}): OAuth2Config<PatreonProfile> {
  return {
    id: "patreon",
    name: "Patreon",
    type: "oauth",
    authorization: { url: "https://www.patreon.com/oauth2/authorize", params: { scope: "identity identity[email]" } },
    token: "https://www.patreon.com/api/oauth2/token",
    userinfo: {
      // Without a list of fields, only the ID is returned.
      url: "https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=email,full_name,image_url,is_email_verified",
      request: requestIdentity,
    },
    profile: ({ data: { id, attributes } }) => ({
      id,
      name: attributes.full_name ?? null,
      email: attributes.email ?? null,
      image: attributes.image_url ?? null,
    }),
    style: { brandColor: "#e85b46", mark },
    options,
  }
}

async function requestIdentity(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context)
  const { data } = response as Partial<PatreonProfile> // Validated in the next line.
  assertSuccess(data?.attributes !== undefined, context)
  return { ...response, email_verified: data?.attributes.is_email_verified === true }
}

const mark =
  "M22.957 7.21c-.004-3.064-2.391-5.576-5.191-6.482-3.478-1.125-8.064-.962-11.384.604C2.357 3.231 1.093 7.391 1.046 11.54c-.039 3.411.302 12.396 5.369 12.46 3.765.047 4.326-4.804 6.068-7.141 1.24-1.662 2.836-2.132 4.801-2.618 3.376-.836 5.678-3.501 5.673-7.031Z"

export default Patreon
