// Imported as `@latchkey/core/providers/bungie`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { required } from "./_shared/options.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Bungie API.
 * @see https://bungie-net.github.io/multi/schema_User-GeneralUser.html
 */
export interface BungieProfile {
  readonly Response: {
    readonly bungieNetUser: {
      readonly membershipId: string
      readonly displayName: string
      /** A path on `https://www.bungie.net`. */
      readonly profilePicturePath?: string
    }
  }
  readonly [field: string]: AnyValue
}

/**
 * Bungie.net sign-in (OAuth 2.0). Requires `apiKey` (or `AUTH_BUNGIE_KEY`) in addition to the client ID and secret.
 *
 * No scope may be sent; the app's configuration determines it, and needs the permission to read basic profiles. There
 * is no email address. Register the app's only redirect URL, `<origin>/auth/callback/bungie`; it must be https.
 * @see https://github.com/Bungie-net/api/wiki/OAuth-Documentation
 */
export function Bungie(options: OAuthUserConfig<BungieProfile> = {}): OAuth2Config<BungieProfile> {
  return {
    id: "bungie",
    name: "Bungie",
    type: "oauth",
    optionRules: { apiKey: required("must be the app's API key") },
    authorization: "https://www.bungie.net/en/OAuth/Authorize?reauth=true&scope=",
    token: "https://www.bungie.net/platform/app/oauth/token/",
    userinfo: {
      url: "https://www.bungie.net/Platform/User/GetMembershipsForCurrentUser/",
      request: requestMemberships,
    },
    profile: ({ Response: { bungieNetUser: user } }) => ({
      id: user.membershipId,
      name: user.displayName,
      email: null,
      image: user.profilePicturePath ? `https://www.bungie.net${user.profilePicturePath}` : null,
    }),
    style: { brandColor: "#0075BB", mark },
    options,
  }
}

/** Every request needs the app's key, and every response is an envelope whose code 1 means success. */
async function requestMemberships(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context, { headers: { "x-api-key": context.provider.apiKey ?? "" } })
  assertSuccess(response["ErrorCode"] === 1, context)
  return response
}

const mark =
  "m23.9 12.8-1.1-.8V.5L12.4 1 2 .5v2.9L.4 2.8H.1q-.2.3 0 .5l2 1.2V12c0 3.3 2.4 6 4.8 8a30 30 0 0 0 5.5 3.5l.4-.2c.2 0 2.7-1.3 5-3.3 2.3-1.8 4.5-4.2 4.9-7.1l.8.4q.4.1.5-.3zM2.4.8l10 .5 10-.5v10.9l-.5-.4v-10l-9.5.5L3 1.3v2.4l-.5-.2Zm16 3v-.5H20l-1 2.3h-.5l.8-1.8zm-6.5 4.7.3.4.6 1 2 1.4-.3.6.3 1.6-1.2.5-.5.2q-.5.2-.8 0l-1-.5-.7-.6.4-1.6-1.8-3v-.1l1.2-2.2q0-.1.2 0 1.3.3 2.5 1v.2l-.5.8q0 .2-.2.1l-1.2-.5-.2.3zm6.7 7-.2.5v.2q-.1.4-.4.7h-.1l.3-.7c.1-.1-.7-.1-.7-.1l-.4-.5q-.1-.4.1-.6h.3l.2-.2-.7-.2-1.1.3-.7.1c-.5.1-1 .6-1.4.7l-1.2.2q-.7.2-1.8-.8c-.5-.3-.6-.6-1.8-.9q-.9 0-1-.5c0-.2.4-.3.3-.5v-.5q-.2-.3-.7-.5H7v.2c0 .2 0 .7-.5.7q.2 0-.1-.6-.5-.5-.1-1.1.7-.3 1.3 0c0 .2.8.3 1.2.3q.8.2.5.8-.4.3-.4.5l1.7.5c.4.3 1 1 1.5 1l.5.1.9-.2.1-.1 1.1-.5.5-.1.6-.1 1.1-.3q.9 0 1.2.7s.5.6.4.7q-.4.3-.4.5t.2.2zm-4.5 3q0 .2-.2.3h-.1v-.2l-.1-.4-1 .8 1 .9v.3h-.3l-1-1-1.2 1H11V20l1-.9-1-.8v.5h-.2l-.2-.1v-.1h.1l.1-.6-.6-.6-.2-.1V17h.3v.1l.1.1.7.5.5-.2v-.2h.1l.3.2v.1h-.2l-.4.3 1 .9 1-1-.4-.2h-.1v-.1l.2-.1q.1 0 0 0l.1.1.5.2.7-.5h.1V17h.4v.3h-.2l-.1.1-.6.6zm-2-12-1.3-.6.8-1.3a.1.1 0 0 1 .2 0l1 .5a.1.1 0 0 1 0 .2zm1-1 .9.4a.1.1 0 0 1 0 .2l-.7 1.1-.1-.2h-.1l-.9-.4Zm1.2.8a.1.1 0 0 1 .2 0l.8.5a.1.1 0 0 1 0 .2L14 9a.1.1 0 0 1-.2.1l-.8-.5v-.2zm1.1 1a.1.1 0 0 1 .2-.1l.7.4a.1.1 0 0 1 0 .2l-1.2 1.9h-.2l-.6-.3a.1.1 0 0 1 0-.2zM.3 3l7 2.7L7 3.3l3.5 2.5h-.1l-.2.1-.8 1.3-.8-.6L8.3 8Zm17.4 16.6c-2.4 2-4.9 3.2-5 3.3l-.3.1-.2-.1c-.2-.1-2.7-1.3-5-3.3-2.4-2-4.8-4.6-4.8-7.7V4.7L3 5v7c0 5.8 9 10.4 9.3 10.6h.4c.4-.2 8.8-4.5 9.3-10.1l.4.2c-.3 2.8-2.4 5.2-4.6 7m6-6.6L18 10.4l-.4 2.5L13 9.8l-.6-1.2 2 1.2.3.1.2.1.3-.2.2-.2.1-.2 1 .9L17 8l6.7 5"

export default Bungie
