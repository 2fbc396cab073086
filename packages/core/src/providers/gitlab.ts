// Imported as `@latchkey/core/providers/gitlab`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl, optional } from "./_shared/options.js"

/**
 * A user as returned by the GitLab API.
 * @see https://docs.gitlab.com/api/users/#get-the-current-user
 */
export interface GitLabProfile {
  readonly id?: number
  /** For instances that return claims instead. */
  readonly sub?: string
  readonly name?: string | null
  readonly username?: string
  readonly email?: string | null
  readonly avatar_url?: string | null
  readonly [field: string]: AnyValue
}

/** Options of the GitLab provider. */
export interface GitLabOptions extends OAuthUserConfig<GitLabProfile> {
  /** URL of a self-hosted instance. Takes precedence over `issuer`. Default: `issuer`, else `https://gitlab.com`. */
  readonly baseUrl?: string | URL | undefined
}

/**
 * GitLab sign-in (OAuth 2.0), on gitlab.com or a self-hosted instance.
 *
 * Scope: `read_user`, for the profile. The image may be missing. Register the redirect URI
 * `<origin>/auth/callback/gitlab`. For OpenID Connect with GitLab, use `oidc`.
 * @see https://docs.gitlab.com/integration/oauth_provider/
 */
export function GitLab(options: GitLabOptions = {}): OAuth2Config<GitLabProfile> {
  const rule = issuerUrl("https://gitlab.example.com")
  const baseUrl = options.baseUrl?.toString()
  const derive = deriveFromIssuer((base) => ({
    authorization: `${base}/oauth/authorize`,
    token: `${base}/oauth/token`,
    revocation: `${base}/oauth/revoke`,
    userinfo: `${base}/api/v4/user`,
  }))
  return {
    id: "gitlab",
    name: "GitLab",
    type: "oauth",
    optionRules: { issuer: optional(rule), baseUrl: () => (baseUrl === undefined ? null : rule(baseUrl)) },
    authorization: { params: { scope: "read_user" } },
    derive: ({ issuer = "https://gitlab.com" }) => derive({ issuer: baseUrl ?? issuer }),
    profile: ({ id, sub, name, username, email, avatar_url }) => ({
      id: String(sub ?? id),
      name: name ?? username ?? null,
      email: email ?? null,
      image: avatar_url ?? null,
    }),
    style: { brandColor: "#FC6D26", mark },
    options,
  }
}

const mark =
  "m23.6004 9.5927-.0337-.0862L20.3.9814a.851.851 0 0 0-.3362-.405.8748.8748 0 0 0-.9997.0539.8748.8748 0 0 0-.29.4399l-2.2055 6.748H7.5375l-2.2057-6.748a.8573.8573 0 0 0-.29-.4412.8748.8748 0 0 0-.9997-.0537.8585.8585 0 0 0-.3362.4049L.4332 9.5015l-.0325.0862a6.0657 6.0657 0 0 0 2.0119 7.0105l.0113.0087.03.0213 4.976 3.7264 2.462 1.8633 1.4995 1.1321a1.0085 1.0085 0 0 0 1.2197 0l1.4995-1.1321 2.4619-1.8633 5.006-3.7489.0125-.01a6.0682 6.0682 0 0 0 2.0094-7.003z"

export default GitLab
