// Imported as `@latchkey/core/providers/snapchat`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { requestGraphQL } from "./_shared/request.js"

/**
 * A user as returned by the Snapchat API.
 * @see https://developers.snap.com/snap-kit/login-kit/overview
 */
export interface SnapchatProfile {
  readonly data: {
    readonly me: {
      readonly externalId: string
      readonly displayName?: string | null
      readonly bitmoji?: { readonly avatar?: string | null } | null
    }
  }
  readonly [field: string]: AnyValue
}

const scopes = ["user.external_id", "user.display_name", "user.bitmoji.avatar"]

/**
 * Snapchat sign-in (OAuth 2.0).
 *
 * Scopes: the URLs below, for the ID, the display name and the Bitmoji avatar, which users may decline. There is no
 * email address, and the ID differs between apps. Register the callback URL `<origin>/auth/callback/snapchat`.
 * @see https://developers.snap.com/snap-kit/login-kit/overview
 */
export function Snapchat(options: OAuthUserConfig<SnapchatProfile> = {}): OAuth2Config<SnapchatProfile> {
  return {
    id: "snapchat",
    name: "Snapchat",
    type: "oauth",
    authorization: {
      url: "https://accounts.snapchat.com/accounts/oauth2/auth",
      params: { scope: scopes.map((name) => `https://auth.snapchat.com/oauth2/api/${name}`).join(" ") },
    },
    token: "https://accounts.snapchat.com/accounts/oauth2/token",
    userinfo: { url: "https://kit.snapchat.com/v1/me", request: requestMe },
    checks: ["state"],
    profile: ({ data: { me } }) => ({
      id: me.externalId,
      name: me.displayName ?? null,
      email: null,
      image: me.bitmoji?.avatar ?? null,
    }),
    style: { brandColor: "#FFFC00", mark },
    options,
  }
}

/** A field whose scope was declined must not be requested. */
function requestMe(context: UserinfoRequestContext): Promise<Profile> {
  const { scope } = context.tokens
  const hasAvatar = scope === undefined || scope.includes("bitmoji")
  return requestGraphQL(context, `{ me { externalId displayName ${hasAvatar ? "bitmoji { avatar id } " : ""}} }`)
}

const mark =
  "M12.2.8c1 0 4.35.27 5.94 3.81.52 1.2.4 3.22.3 4.85v.06l-.04.51q.11.09.4.1.46-.04 1.04-.31a1 1 0 0 1 .46-.1q.28 0 .5.09c.46.15.74.48.74.83q.02.67-1.21 1.17l-.34.12c-.45.14-1.14.36-1.34.81q-.14.34.12.87l.02.01c.06.14 1.52 3.48 4.79 4.02a.5.5 0 0 1 .42.5l-.05.23q-.35.85-3.14 1.27c-.06.1-.12.38-.17.57q-.04.26-.13.56-.12.4-.56.4h-.03a3 3 0 0 1-.53-.07 6 6 0 0 0-2.19-.06c-.6.1-1.12.46-1.72.88-.86.6-1.83 1.29-3.3 1.29l-.18-.02h-.15a5.3 5.3 0 0 1-3.27-1.28c-.6-.42-1.11-.78-1.71-.89a7 7 0 0 0-.93-.07c-.54 0-.96.09-1.27.15q-.32.06-.54.07c-.38 0-.52-.22-.58-.42q-.1-.3-.14-.57c-.05-.18-.1-.5-.17-.57Q.4 19.27.06 18.4L0 18.17a.5.5 0 0 1 .42-.5c3.26-.55 4.73-3.89 4.8-4.03v-.03q.28-.52.13-.86c-.2-.44-.89-.66-1.34-.81l-.34-.12c-1.1-.44-1.26-.93-1.2-1.28.1-.47.68-.79 1.17-.79q.22 0 .38.08.64.3 1.1.3.36-.02.47-.11l-.04-.57c-.1-1.62-.23-3.65.3-4.84A6.3 6.3 0 0 1 11.73.8h.48z"

export default Snapchat
