// Imported as `@latchkey/core/providers/42-school`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the 42 School API.
 * @see https://api.intra.42.fr/apidoc/2.0/users/me.html
 */
export interface FortyTwoProfile {
  readonly id: number
  readonly usual_full_name: string
  readonly email?: string | null
  readonly image?: { readonly link?: string | null } | null
  readonly [field: string]: AnyValue
}

/**
 * 42 School sign-in (OAuth 2.0).
 *
 * Scope: `public`, which includes the profile. The image may be missing. The environment variables are
 * `AUTH_42_SCHOOL_ID` and `AUTH_42_SCHOOL_SECRET`. Register the redirect URI `<origin>/auth/callback/42-school`.
 * @see https://api.intra.42.fr/apidoc/guides/web_application_flow
 */
export function FortyTwo(options: OAuthUserConfig<FortyTwoProfile> = {}): OAuth2Config<FortyTwoProfile> {
  return {
    id: "42-school",
    name: "42 School",
    type: "oauth",
    authorization: { url: "https://api.intra.42.fr/oauth/authorize", params: { scope: "public" } },
    token: "https://api.intra.42.fr/oauth/token",
    userinfo: "https://api.intra.42.fr/v2/me",
    profile: ({ id, usual_full_name, email, image }) => ({
      id: id.toString(),
      name: usual_full_name,
      email: email ?? null,
      image: image?.link ?? null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M19.581 16.851H24v-4.439ZM24 3.574h-4.419v4.42l-4.419 4.418v4.44h4.419v-4.44L24 7.993Zm-4.419 0h-4.419v4.42zm-6.324 8.838H4.419l8.838-8.838H8.838L0 12.412v3.595h8.838v4.419h4.419z"

export default FortyTwo
