// Imported as `@latchkey/core/providers/github`.
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../contract/oauth-provider.js"
import type { Profile } from "../contract/profile.js"

/** @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
export interface GitHubProfile {
  readonly id: number
  readonly login: string
  readonly name?: string | null
  /** The public address, else the primary one if it is verified, else null. */
  readonly email?: string | null
  readonly email_verified?: boolean
  readonly avatar_url?: string
  readonly [field: string]: unknown
}

export interface GitHubOptions extends OAuthUserConfig<GitHubProfile> {
  /** GitHub Enterprise: `baseUrl` such as `https://github.example.com` or `https://octocorp.ghe.com`. */
  readonly enterprise?: { readonly baseUrl?: string }
}

/**
 * GitHub sign-in (OAuth 2.0; GitHub issues no ID tokens).
 *
 * Scopes: `read:user` for the profile, `user:email` for an address that is not public. Name and image may be missing, and
 * so may the address: only a public or a verified primary one is taken. Register the callback URL
 * `<origin>/auth/callback/github`; one for each app.
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export function GitHub(options: GitHubOptions = {}): OAuth2Config<GitHubProfile> {
  const { webUrl, apiUrl } = toAddresses(options.enterprise?.baseUrl)
  return {
    id: "github",
    name: "GitHub",
    type: "oauth",
    // Sent as `iss` with callbacks, RFC 9207, in some months and not in others.
    issuer: `${webUrl}/login/oauth`,
    authorization: { url: `${webUrl}/login/oauth/authorize`, params: { scope: "read:user user:email" } },
    token: { url: `${webUrl}/login/oauth/access_token`, conform: conformError },
    userinfo: { url: `${apiUrl}/user`, request: (context) => requestProfile(apiUrl, context) },
    profile: ({ id, name, login, email, avatar_url }) => ({
      id: id.toString(),
      name: name ?? login,
      email: email ?? null,
      image: avatar_url ?? null,
    }),
    style: { brandColor: "#24292f" },
    options,
  }
}

interface Addresses {
  readonly webUrl: string
  readonly apiUrl: string
}

function toAddresses(baseUrl: string | undefined): Addresses {
  const webUrl = baseUrl?.replace(/\/+$/, "") ?? "https://github.com"
  if (baseUrl === undefined) return { webUrl, apiUrl: "https://api.github.com" }
  const { hostname } = new URL(webUrl)
  // Enterprise Cloud with data residency has its interface on a host of its own, Enterprise Server below a path.
  return { webUrl, apiUrl: hostname.endsWith(".ghe.com") ? `https://api.${hostname}` : `${webUrl}/api/v3` }
}

/** GitHub reports refusals with status 200. */
async function conformError(response: Response): Promise<Response | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return undefined
  return Response.json({ error: String(answer.error) }, { status: 400 })
}

async function requestProfile(apiUrl: string, { tokens, provider }: UserinfoRequestContext): Promise<Profile> {
  const headers = { accept: "application/vnd.github+json", authorization: `Bearer ${tokens.access_token}` }
  const response = await provider.fetch(`${apiUrl}/user`, { headers })
  if (!response.ok) throw new Error(`GitHub answered the profile request with status ${response.status}`)
  const profile: Profile = await response.json()
  if (profile.email) return profile
  const email = await requestEmail(() => provider.fetch(`${apiUrl}/user/emails`, { headers }))
  return email === null ? profile : { ...profile, email, email_verified: true }
}

interface GitHubEmail {
  readonly email: string
  readonly primary: boolean
  readonly verified: boolean
}

/** Null as well where the person or the host did not grant `user:email`: signing in works without an address. */
async function requestEmail(call: () => Promise<Response>): Promise<string | null> {
  const response = await call()
  if (!response.ok) return null
  const emails: readonly GitHubEmail[] = await response.json()
  return emails.find((entry) => entry.primary === true && entry.verified === true)?.email ?? null
}

export default GitHub
