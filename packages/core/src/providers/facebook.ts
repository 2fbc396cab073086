// Imported as `@latchkey/core/providers/facebook`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Facebook API.
 * @see https://developers.facebook.com/docs/graph-api/reference/user
 */
export interface FacebookProfile {
  readonly id: string
  readonly name?: string
  /** Facebook does not report whether it is verified. */
  readonly email?: string
  readonly picture?: { readonly data?: { readonly url?: string } }
  readonly [field: string]: AnyValue
}

/**
 * Facebook Login (OAuth 2.0).
 *
 * Scope: `email`, in addition to the public profile. The email address may be missing, and Facebook does not report
 * whether it is verified. There is no refresh token. Register the redirect URI `<origin>/auth/callback/facebook`.
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 */
export function Facebook(options: OAuthUserConfig<FacebookProfile> = {}): OAuth2Config<FacebookProfile> {
  return {
    id: "facebook",
    name: "Facebook",
    type: "oauth",
    authorization: { url: `https://www.facebook.com/${version}/dialog/oauth`, params: { scope: "email" } },
    token: `https://graph.facebook.com/${version}/oauth/access_token`,
    // Only the requested fields are returned.
    userinfo: { url: `https://graph.facebook.com/${version}/me`, params: { fields: "id,name,email,picture" } },
    profile: ({ id, name, email, picture }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: picture?.data?.url ?? null,
    }),
    style: { brandColor: "#006aff", mark },
    options,
  }
}

/**
 * Version of the Graph API, from 29 July 2026. A version is available for about two years. Without one, the oldest
 * responds.
 */
const version = "v26.0"

const mark =
  "M9.101 23.691v-7.98H6.627v-3.667h2.474v-1.58c0-4.085 1.848-5.978 5.858-5.978.401 0 .955.042 1.468.103a8.68 8.68 0 0 1 1.141.195v3.325a8.623 8.623 0 0 0-.653-.036 26.805 26.805 0 0 0-.733-.009c-.707 0-1.259.096-1.675.309a1.686 1.686 0 0 0-.679.622c-.258.42-.374.995-.374 1.752v1.297h3.919l-.386 2.103-.287 1.564h-3.246v8.245C19.396 23.238 24 18.179 24 12.044c0-6.627-5.373-12-12-12s-12 5.373-12 12c0 5.628 3.874 10.35 9.101 11.647Z"

export default Facebook
