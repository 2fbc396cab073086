import type { User } from "@latchkey/types"
import type { CommonProvider, OptionRule } from "../types/basics.js"
import type {
  AccountCallback,
  AuthorizationEndpoint,
  OAuthProviderFacts,
  OidcCheck,
  ProfileCallback,
  TokenEndpoint,
  UserinfoEndpoint,
} from "../types/oauth-provider.js"
import type { CredentialsConfig, EmailConfig, Provider, ProviderConfig, WebAuthnConfig } from "../types/providers.js"
import type { Profile, TokenSet } from "../types/user.js"

/**
 * An OAuth or OpenID Connect provider with the host's options merged in and the defaults filled: endpoints are objects,
 * `profile` and `account` exist. `state` is sent with every flow, listed in `checks` or not, unless they hold `none`.
 */
export interface ResolvedOAuthProvider
  extends Omit<OAuthProviderFacts, "authorization" | "token" | "userinfo" | "derive"> {
  readonly type: "oauth" | "oidc"
  readonly optionRules?: Readonly<Record<string, OptionRule>>
  readonly clientId: string
  readonly authorization: AuthorizationEndpoint
  readonly token: TokenEndpoint
  readonly userinfo: UserinfoEndpoint
  readonly checks: readonly OidcCheck[]
  /** Whether the profile comes from the ID token. */
  readonly idToken: boolean
  readonly profile: ProfileCallback<Profile>
  readonly account: AccountCallback
  /** Where the provider sends the visitor: the proxy's address, when there is one. */
  readonly redirectProxyUrl?: string
  /** Whether the callback arrives as a form: OAuth 2.0 Form Post Response Mode. */
  readonly isFormPost: boolean
  /** Whether the callback holds one signed token with the answer: JWT Secured Authorization Response Mode (JARM). */
  readonly isJwtResponse: boolean
}

export type ResolvedProvider = ResolvedOAuthProvider | EmailConfig | CredentialsConfig | WebAuthnConfig

export function isOAuth(provider: ResolvedProvider): provider is ResolvedOAuthProvider {
  return provider.type === "oauth" || provider.type === "oidc"
}

/**
 * A provider as the service uses it: an uncalled factory is called, the host's `options` are laid over the factory's
 * fields (`id` included), and what is left out has its default.
 */
export function resolveProvider(provider: Provider, redirectProxyUrl: string | undefined): ResolvedProvider {
  // A factory takes options of its own type; none of them is required to be given here.
  const config = typeof provider === "function" ? provider({} as never) : provider
  const { options, ...facts } = config
  const given = typeof options === "object" && options !== null ? options : undefined
  // Still a provider: an endpoint may be text or an object.
  const known = withEndpointObjects(facts) as ProviderConfig
  if (known.type !== "oauth" && known.type !== "oidc") return merge(known, given)
  return resolveOAuthProvider(withDerivedFacts(known, given), redirectProxyUrl)
}

/** What the provider derives lies between its own facts and the host's options, the issuer above both. */
function withDerivedFacts(facts: OAuthProvider, given: object | undefined): OAuthProvider {
  const merged = merge(facts, given)
  if (!merged.derive || listBrokenRules(merged).length > 0) return merged
  const derived = merged.derive(merged)
  const { issuer } = derived
  return merge(merge(merge(facts, withEndpointObjects(derived)), given), { issuer })
}

/** An endpoint that is text, as an object: options that hold parameters alone must not take its URL away. */
function withEndpointObjects(facts: object): object {
  const texts = ["authorization", "token", "userinfo"].flatMap((name) => {
    const endpoint: unknown = Reflect.get(facts, name)
    return typeof endpoint === "string" ? [[name, { url: endpoint }] as const] : []
  })
  return texts.length === 0 ? facts : { ...facts, ...Object.fromEntries(texts) }
}

type OAuthProvider = Extract<ProviderConfig, { readonly type: "oauth" | "oidc" }>

function resolveOAuthProvider(provider: OAuthProvider, redirectProxyUrl: string | undefined): ResolvedOAuthProvider {
  const authorization = toAuthorization(provider.authorization)
  const responseMode = authorization.params?.["response_mode"]
  const isFormPost = responseMode === "form_post" || responseMode === "form_post.jwt"
  // A proxy is reached by a redirect, which a form post is not.
  const proxy = isFormPost ? undefined : (provider.redirectProxyUrl ?? redirectProxyUrl)
  const { redirectProxyUrl: _, derive: __, ...facts } = provider
  const checks = provider.checks ?? ["pkce"]
  return {
    ...facts,
    clientId: provider.clientId ?? "",
    authorization,
    token: toEndpoint<TokenEndpoint>(provider.token),
    userinfo: toEndpoint<UserinfoEndpoint>(provider.userinfo),
    checks: proxy && !checks.includes("state") ? [...checks, "state"] : checks,
    idToken: provider.type === "oidc" && provider.idToken !== false,
    // Each provider's callback understands the profile that its own endpoint answers.
    profile: (provider.profile as ResolvedOAuthProvider["profile"] | undefined) ?? defaultProfile,
    account: provider.account ?? defaultAccount,
    isFormPost,
    isJwtResponse: isResponseMode(responseMode) && responseMode.endsWith("jwt"),
    ...(proxy && { redirectProxyUrl: proxy }),
  }
}

function toEndpoint<Endpoint extends { readonly url?: string | URL }>(given: string | Endpoint | undefined): Endpoint {
  return typeof given === "string" ? ({ url: given } as Endpoint) : (given ?? ({} as Endpoint)) // All fields are optional.
}

/** A query in the URL counts as parameters, which `params` may overrule. */
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

/** The `account` callback of a provider that has none: the fields that stores have columns for, as far as present. */
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

/** An option that breaks a rule of its provider. */
interface BrokenRule {
  readonly option: string
  /** What is wrong, after the option's path. */
  readonly sentence: string
  readonly isMissing: boolean
}

/** The options of a provider that break a rule of it. They were laid over its fields already. */
function listBrokenRules(provider: CommonProvider): readonly BrokenRule[] {
  return Object.entries(provider.optionRules ?? {}).flatMap(([option, rule]) => {
    const value: unknown = Reflect.get(provider, option)
    const sentence = rule(value)
    return sentence === null ? [] : [{ option, sentence, isMissing: value === undefined || value === "" }]
  })
}

/** The first broken rule that keeps a provider from working. */
export function findBrokenRule(provider: CommonProvider): BrokenRule | null {
  const isExcused = ({ option, isMissing }: BrokenRule): boolean =>
    option === "issuer" && isMissing && hasOwnAddresses(provider)
  return listBrokenRules(provider).find((broken) => !isExcused(broken)) ?? null
}

/** Whether the host wrote down what would be found, or built, by the issuer. */
function hasOwnAddresses(provider: CommonProvider): boolean {
  if (Reflect.get(provider, "wellKnown") !== undefined) return true
  const authorization: unknown = Reflect.get(provider, "authorization")
  return typeof authorization === "object" && authorization !== null && Reflect.get(authorization, "url") !== undefined
}

type Plain = Record<PropertyKey, unknown>

/** Keys by which a merge could reach a prototype. */
const forbidden: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"])

/**
 * A new object: `over` laid on `under`, plain objects merged at every depth, everything else replaced. `undefined`
 * keeps what is below. Symbol keys count. Neither input is touched.
 */
export function merge<Under extends object>(under: Under, over: object | undefined): Under {
  const merged: Plain = Object.fromEntries(Reflect.ownKeys(under).map((key) => [key, Reflect.get(under, key)]))
  for (const key of over ? Reflect.ownKeys(over) : []) {
    const value: unknown = Reflect.get(over ?? {}, key)
    if (value === undefined || forbidden.has(key)) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? merge(below, value) : value
  }
  return merged as Under // Each key holds what `Under` or a partial of it holds there.
}

function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
