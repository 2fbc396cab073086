import type { AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint } from "../contract/oauth-provider.js"
import type { Provider, ProviderConfig } from "../contract/provider.js"
import { merge } from "./merge.js"
import { defaultAccount, defaultProfile } from "./provider-callbacks.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "./resolved-provider.js"

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
  const merged = merge(withEndpointObjects(facts) as ProviderConfig, given)
  if (merged.type !== "oauth" && merged.type !== "oidc") return merged
  return resolveOAuthProvider(merged as OAuthProvider, redirectProxyUrl) // The type was looked at in the line above.
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
  const isFormPost = authorization.params?.["response_mode"] === "form_post"
  // A proxy is reached by a redirect, which a form post is not.
  const proxy = isFormPost ? undefined : (provider.redirectProxyUrl ?? redirectProxyUrl)
  const { redirectProxyUrl: _, ...facts } = provider
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
    ...(proxy && { redirectProxyUrl: proxy }),
  }
}

function toEndpoint<Endpoint extends { readonly url?: string | URL }>(given: string | Endpoint | undefined): Endpoint {
  return typeof given === "string" ? ({ url: given } as Endpoint) : (given ?? ({} as Endpoint)) // All fields are optional.
}

/** A query in the URL counts as parameters, which `params` may overrule. */
function toAuthorization(given: string | AuthorizationEndpoint | undefined): AuthorizationEndpoint {
  const { url, params } = toEndpoint<AuthorizationEndpoint>(given)
  const parsed = url === undefined ? null : URL.parse(String(url))
  if (!parsed) return { ...(url !== undefined && { url }), params: params ?? {} }
  const query = Object.fromEntries(parsed.searchParams)
  parsed.search = ""
  return { url: parsed, params: { ...query, ...params } }
}
