import { resolveOAuthProvider, withDerivedFacts, withEndpointObjects } from "../methods/oauth/resolve.js"
import { merge } from "../runtime/merge.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "../types/resolved.js"

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
