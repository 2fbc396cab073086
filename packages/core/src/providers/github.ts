// Imported as `@latchkey/core/providers/github`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { issuerUrl, optional, trimSlashes } from "./_shared/options.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the GitHub API.
 * @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user
 */
export interface GitHubProfile {
  readonly id: number
  readonly login: string
  readonly name?: string | null
  /** The public email address, else the primary one if it is verified, else null. */
  readonly email?: string | null
  readonly email_verified?: boolean
  readonly avatar_url?: string
  readonly [field: string]: AnyValue
}

/** Options of the GitHub provider. */
export interface GitHubOptions extends OAuthUserConfig<GitHubProfile> {
  /** GitHub Enterprise: `baseUrl` such as `https://github.example.com` or `https://octocorp.ghe.com`. */
  readonly enterprise?: { readonly baseUrl?: string | undefined } | undefined
}

/**
 * GitHub sign-in (OAuth 2.0; GitHub issues no ID tokens).
 *
 * Scopes: `read:user` for the profile, `user:email` for an email address that is not public. Name and image may be
 * missing. So may the email address, because only a public or a verified primary one is used. Register the callback
 * URL `<origin>/auth/callback/github`; an app has only one.
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export function GitHub(options: GitHubOptions = {}): OAuth2Config<GitHubProfile> {
  const { webUrl, apiUrl } = toAddresses(options.enterprise?.baseUrl)
  return {
    id: "github",
    name: "GitHub",
    type: "oauth",
    optionRules: { enterprise: optional(enterpriseRule) },
    // Callbacks contain it as `iss` (RFC 9207), but not consistently over time.
    issuer: `${webUrl}/login/oauth`,
    authorization: { url: `${webUrl}/login/oauth/authorize`, params: { scope: "read:user user:email" } },
    token: { url: `${webUrl}/login/oauth/access_token`, conform: conformError },
    userinfo: { url: `${apiUrl}/user`, request: requestWithEmail },
    profile: ({ id, name, login, email, avatar_url }) => ({
      id: id.toString(),
      name: name ?? login,
      email: email ?? null,
      image: avatar_url ?? null,
    }),
    style: { brandColor: "#24292f", mark },
    options,
  }
}

const baseUrlRule = issuerUrl("https://github.example.com")

function enterpriseRule(value: unknown): string | null {
  const { baseUrl }: { readonly baseUrl?: unknown } = Object(value)
  const sentence = optional(baseUrlRule)(baseUrl)
  return sentence === null ? null : `baseUrl ${sentence}`
}

interface Addresses {
  readonly webUrl: string
  readonly apiUrl: string
}

function toAddresses(baseUrl: string | undefined): Addresses {
  if (baseUrl === undefined) return { webUrl: "https://github.com", apiUrl: "https://api.github.com" }
  const webUrl = trimSlashes(String(baseUrl))
  const hostname = URL.parse(webUrl)?.hostname ?? ""
  // Enterprise Cloud with data residency has a separate API host, Enterprise Server a path.
  return { webUrl, apiUrl: hostname.endsWith(".ghe.com") ? `https://api.${hostname}` : `${webUrl}/api/v3` }
}

/** GitHub reports errors with status 200. */
async function conformError(response: Response): Promise<Response | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined
  return Response.json({ error: String(body.error) }, { status: 400 })
}

/** The profile does not contain a private email address; a separate endpoint lists all of them. */
async function requestWithEmail(context: UserinfoRequestContext): Promise<Profile> {
  const profile = await requestProfile(context, { headers: { accept } })
  if (profile.email) return profile
  const email = await findEmail(context)
  return email === null ? profile : { ...profile, email, email_verified: true }
}

const accept = "application/vnd.github+json"

interface GitHubEmail {
  readonly email: string
  readonly primary: boolean
  readonly verified: boolean
}

/** Also null if the user or the app did not grant `user:email`: sign-in works without an email address. */
async function findEmail({ tokens, url, provider }: UserinfoRequestContext): Promise<string | null> {
  const headers = { accept, authorization: `Bearer ${tokens.access_token}` }
  const response = await provider.fetch(`${url}/emails`, { headers })
  if (!response.ok) return null
  const emails: readonly GitHubEmail[] = await response.json()
  return emails.find((entry) => entry.primary === true && entry.verified === true)?.email ?? null
}

const mark =
  "M12 .3a12 12 0 0 0-3.8 23.38c.6.12.83-.26.83-.57L9 21.07c-3.34.72-4.04-1.61-4.04-1.61-.55-1.39-1.34-1.76-1.34-1.76-1.08-.74.09-.73.09-.73 1.2.09 1.84 1.24 1.84 1.24 1.07 1.83 2.8 1.3 3.49 1 .1-.78.42-1.31.76-1.61-2.66-.3-5.47-1.33-5.47-5.93 0-1.31.47-2.38 1.24-3.22-.14-.3-.54-1.52.1-3.18 0 0 1-.32 3.3 1.23a11.5 11.5 0 0 1 6 0c2.28-1.55 3.29-1.23 3.29-1.23.64 1.66.24 2.88.12 3.18a4.7 4.7 0 0 1 1.23 3.22c0 4.61-2.8 5.63-5.48 5.92.42.36.81 1.1.81 2.22l-.01 3.29c0 .31.2.69.82.57A12 12 0 0 0 12 .3"

export default GitHub
