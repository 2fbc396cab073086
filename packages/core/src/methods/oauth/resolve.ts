import type { User } from "@latchkey/types"
import { merge } from "../../runtime/merge.js"
import type { AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint } from "../../types/oauth-provider.js"
import type { ProviderConfig } from "../../types/providers.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { Profile, TokenSet } from "../../types/user.js"
import { listBrokenRules } from "../option-rules.js"

type OAuthProvider = Extract<ProviderConfig, { readonly type: "oauth" | "oidc" }>

/** Merges the host's options into a provider, and fills in the defaults. */
export function resolveOAuthProvider(
  facts: ProviderConfig,
  options: object | undefined,
  globalProxyUrl: string | undefined,
): ResolvedOAuthProvider {
  // `withEndpointObjects` keeps the other fields.
  const provider = withDerivedFacts(withEndpointObjects(facts) as OAuthProvider, options)
  const authorization = toAuthorization(provider.authorization)
  const responseMode = authorization.params?.["response_mode"]
  const isFormPost = responseMode === "form_post" || responseMode === "form_post.jwt"
  // A proxy forwards by redirect, which is impossible for a form post.
  const proxy = isFormPost ? undefined : (provider.redirectProxyUrl ?? globalProxyUrl)
  const { redirectProxyUrl: _, derive: __, ...kept } = provider
  const checks = provider.checks ?? ["pkce"]
  return {
    ...kept,
    clientId: provider.clientId ?? "",
    authorization,
    token: toEndpoint<TokenEndpoint>(provider.token),
    userinfo: toEndpoint<UserinfoEndpoint>(provider.userinfo),
    checks: proxy && !checks.includes("state") ? [...checks, "state"] : checks,
    idToken: provider.type === "oidc" && provider.idToken !== false,
    // Each provider's `profile` callback knows the type of its own profile.
    profile: (provider.profile as ResolvedOAuthProvider["profile"] | undefined) ?? defaultProfile,
    account: provider.account ?? defaultAccount,
    isFormPost,
    isJwtResponse: isResponseMode(responseMode) && responseMode.endsWith("jwt"),
    ...(proxy && { redirectProxyUrl: proxy }),
  }
}

/** Merges the provider's facts, what `derive` returns, and the host's options. The derived issuer overrides all. */
function withDerivedFacts(facts: OAuthProvider, given: object | undefined): OAuthProvider {
  const merged = merge(facts, given)
  if (!merged.derive || listBrokenRules(merged).length > 0) return merged
  const derived = merged.derive(merged)
  const { issuer } = derived
  return merge(merge(merge(facts, withEndpointObjects(derived)), given), { issuer })
}

/** Converts endpoints from text to objects, so that options with only `params` keep the URL. */
function withEndpointObjects(facts: object): object {
  const texts = ["authorization", "token", "userinfo"].flatMap((name) => {
    const endpoint: unknown = Reflect.get(facts, name)
    return typeof endpoint === "string" ? [[name, { url: endpoint }] as const] : []
  })
  return texts.length === 0 ? facts : { ...facts, ...Object.fromEntries(texts) }
}

function toEndpoint<Endpoint extends { readonly url?: string | URL }>(given: string | Endpoint | undefined): Endpoint {
  return typeof given === "string" ? ({ url: given } as Endpoint) : (given ?? ({} as Endpoint)) // All fields are optional.
}

/** Moves the URL's query into the parameters. `params` overrides it. */
function toAuthorization(given: string | AuthorizationEndpoint | undefined): AuthorizationEndpoint {
  const { url, params, ...how } = toEndpoint<AuthorizationEndpoint>(given)
  const parsed = url === undefined ? null : URL.parse(String(url))
  if (!parsed) return { ...how, ...(url !== undefined && { url }), params: params ?? {} }
  const query = Object.fromEntries(parsed.searchParams)
  parsed.search = ""
  return { ...how, url: parsed, params: { ...query, ...params } }
}

/**
 * The `profile` callback of a provider that has none: the standard claims of OpenID Connect Core 1.0 section 5.1.
 * Without `sub` or `id` the user has no id, and the sign-in is refused.
 * @internal Exported for its tests.
 */
export function defaultProfile(profile: Profile): User {
  const id = profile.sub ?? profile.id
  return {
    ...(id !== undefined && id !== null && { id }),
    name: profile.name ?? profile.nickname ?? profile.preferred_username ?? null,
    email: profile.email ?? null,
    image: typeof profile.picture === "string" ? profile.picture : null,
  }
}

const storedFields = [
  "access_token",
  "id_token",
  "refresh_token",
  "expires_at",
  "scope",
  "token_type",
  "session_state",
] as const

/**
 * The `account` callback of a provider that has none: the token fields for which stores have columns.
 * @internal Exported for its tests.
 */
export function defaultAccount(tokens: TokenSet): TokenSet {
  return Object.fromEntries(
    storedFields.filter((field) => tokens[field] !== undefined).map((field) => [field, tokens[field]]),
  )
}

/**
 * How a provider may send its answer: OAuth 2.0 Multiple Response Type Encoding Practices section 2.1, OAuth 2.0 Form
 * Post Response Mode, and JWT Secured Authorization Response Mode (JARM) section 2.3. A fragment never reaches a
 * server.
 */
export const responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"] as const

type ResponseMode = (typeof responseModes)[number]

export function isResponseMode(value: unknown): value is ResponseMode {
  return responseModes.some((mode) => mode === value)
}
