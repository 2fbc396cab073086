// Imported as `@latchkey/core/providers/foursquare`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { matching, optional } from "./_shared/options.js"
import { joinName } from "./_shared/profile.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Foursquare API.
 * @see https://docs.foursquare.com/developer/reference/get-user-details
 */
export interface FoursquareProfile {
  readonly response: {
    readonly user: {
      readonly id: string
      readonly firstName?: string
      readonly lastName?: string
      readonly contact?: { readonly email?: string }
      readonly photo?: { readonly prefix?: string; readonly suffix?: string }
    }
  }
  readonly [field: string]: AnyValue
}

/** Options of the Foursquare provider. */
export interface FoursquareOptions extends OAuthUserConfig<FoursquareProfile> {
  /** The date that selects the response version, which your `profile` callback must expect. Default: `20230131`. */
  readonly apiVersion?: string | undefined
}

/**
 * Foursquare sign-in (OAuth 2.0), a public beta of the vendor.
 *
 * There are no scopes. Name, email address and image may be missing. Register the redirect URL
 * `<origin>/auth/callback/foursquare`.
 * @see https://docs.foursquare.com/developer/reference/authentication
 */
export function Foursquare(options: FoursquareOptions = {}): OAuth2Config<FoursquareProfile> {
  const { apiVersion = "20230131" } = options
  return {
    id: "foursquare",
    name: "Foursquare",
    type: "oauth",
    authorization: "https://foursquare.com/oauth2/authenticate?scope=",
    token: "https://foursquare.com/oauth2/access_token",
    userinfo: { url: "https://api.foursquare.com/v2/users/self", params: { v: apiVersion }, request: requestSelf },
    optionRules: { apiVersion: optional(matching(/^\d{8}$/, "must be a date such as 20230131")) },
    profile: ({ response: { user } }) => ({
      id: user.id,
      name: joinName(user.firstName, user.lastName),
      email: user.contact?.email ?? null,
      image: user.photo?.prefix ? `${user.photo.prefix}original${user.photo.suffix ?? ""}` : null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

/** The token is a query parameter, and failures are reported in an envelope. */
async function requestSelf(context: UserinfoRequestContext): Promise<Profile> {
  const response: Profile & { readonly meta?: { readonly code?: unknown } } = await requestProfile(context, {
    token: { query: "oauth_token" },
  })
  assertSuccess(response.meta?.code === 200, context)
  return response
}

const mark =
  "M2.376 0h7.338v1.204h-6.12v3.372h5.44V5.78h-5.44v4.874H2.376V0zm-.208 20.16l1.19-.268c.213 1.473 1.232 2.352 2.89 2.352 1.487 0 2.664-.694 2.664-1.828 0-.807-.595-1.487-2.919-2.18-2.635-.752-3.513-1.715-3.513-3.13 0-1.829 1.473-2.805 3.613-2.805 2.393 0 3.456 1.218 3.825 2.89l-1.19.269c-.299-1.374-1.233-1.955-2.679-1.955-1.36 0-2.323.51-2.323 1.487 0 .793.624 1.403 2.777 2.083 2.565.793 3.67 1.658 3.67 3.301 0 2.04-1.715 3.103-3.896 3.103-2.281-.003-3.84-1.193-4.11-3.318zm9.223-2.238c0-3.159 2.068-5.624 5.242-5.624 3.159 0 5.2 2.479 5.2 5.624 0 1.573-.525 2.933-1.404 3.925a36.155 36.155 0 011.247 1.303l-.879.85a57.16 57.16 0 00-1.303-1.346c-.807.524-1.771.822-2.861.822-3.061 0-5.242-2.352-5.242-5.554zm7.181 3.825a31.241 31.241 0 00-1.247-1.148l.85-.863a36.537 36.537 0 011.331 1.218c.638-.764 1.02-1.813 1.02-3.046 0-2.493-1.516-4.39-3.896-4.39s-3.91 1.897-3.91 4.39c0 2.565 1.658 4.363 3.91 4.363.725 0 1.375-.184 1.942-.524z"

export default Foursquare
