import type { AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint } from "../contract/oauth-provider.js"
import type { Provider, ProviderConfig } from "../contract/provider.js"
import { listBrokenRules } from "./broken-rules.js"
import { merge } from "./merge.js"
import { defaultAccount, defaultProfile } from "./provider-callbacks.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "./resolved-provider.js"
import { isResponseMode } from "./response-mode.js"

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
