// Imported as `@latchkey/core/providers/bitbucket`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Bitbucket API.
 * @see https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/#api-user-get
 */
export interface BitbucketProfile {
  readonly account_id: string
  /** The key that the vendor documents as stable. */
  readonly uuid?: string
  readonly display_name: string
  /** The primary, confirmed email address; requires the permission `email`. */
  readonly email?: string | null
  readonly email_verified?: boolean
  readonly links?: { readonly avatar?: { readonly href?: string } }
  readonly [field: string]: AnyValue
}

/**
 * Bitbucket Cloud sign-in (OAuth 2.0).
 *
 * Scope: `account`, for the profile, which has no email address. If the OAuth consumer has the permission `email`,
 * the primary confirmed address is fetched from a second endpoint. Register the callback URL
 * `<origin>/auth/callback/bitbucket`.
 * @see https://developer.atlassian.com/cloud/bitbucket/oauth-2/
 */
export function Bitbucket(options: OAuthUserConfig<BitbucketProfile> = {}): OAuth2Config<BitbucketProfile> {
  return {
    id: "bitbucket",
    name: "Bitbucket",
    type: "oauth",
    authorization: { url: "https://bitbucket.org/site/oauth2/authorize", params: { scope: "account" } },
    token: "https://bitbucket.org/site/oauth2/access_token",
    userinfo: { url: "https://api.bitbucket.org/2.0/user", request: requestWithEmail },
    profile: ({ account_id, display_name, email, links }) => ({
      id: account_id,
      name: display_name,
      email: email ?? null,
      image: links?.avatar?.href ?? null,
    }),
    style: { brandColor: "#205081", mark },
    options,
  }
}

interface BitbucketEmail {
  readonly email: string
  readonly is_primary?: boolean
  readonly is_confirmed?: boolean
}

/** The profile has no email address; a separate endpoint lists all of them. */
async function requestWithEmail(context: UserinfoRequestContext): Promise<Profile> {
  const profile = await requestProfile(context)
  if (!isEmailGranted(context)) return profile
  const { values } = await requestProfile(context, { url: `${context.url}/emails` })
  const emails: readonly BitbucketEmail[] = Array.isArray(values) ? values : []
  const found = emails.find(({ is_primary, is_confirmed }) => is_primary === true && is_confirmed === true)
  return found === undefined ? profile : { ...profile, email: found.email, email_verified: true }
}

/** The response lists the granted scopes as `scopes`. */
function isEmailGranted({ tokens }: UserinfoRequestContext): boolean {
  return `${tokens["scopes"] ?? ""} ${tokens.scope ?? ""}`.split(/\s+/).includes("email")
}

const mark =
  "M.778 1.213a.768.768 0 00-.768.892l3.263 19.81c.084.5.515.868 1.022.873H19.95a.772.772 0 00.77-.646l3.27-20.03a.768.768 0 00-.768-.891zM14.52 15.53H9.522L8.17 8.466h7.561z"

export default Bitbucket
