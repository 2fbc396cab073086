import { InvalidConfiguration } from "../errors/errors.js"
import type { LogoutEndpoint } from "../types/oauth-provider.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { ProviderEndpoints } from "./endpoints.js"
import { assertSecureUrl, parseEndpoint } from "./fetch.js"
import { parseSignedToken } from "./jws.js"

/** What a sign-out can tell the provider. */
export interface SignOutFacts {
  /** The ID token of the session that ends. */
  readonly idToken: string | undefined
  /** The user's id at the provider. */
  readonly accountId: string
  /** Where the provider sends the user afterwards. */
  readonly returnUrl: string | undefined
  readonly state: string
}

/** The page of a provider that signs the user out. */
export interface SignOutRequest {
  readonly url: string
  /** Whether the provider got the state, and so returns it. */
  readonly isStateSent: boolean
}

/**
 * Characters of the address, which some providers answer with an error when it is longer: the default of IIS for a query. The ID
 * token of a user in many groups does not fit.
 */
const maxUrlLength = 2048

/** OpenID Connect RP-Initiated Logout 1.0 section 2. */
const standardParams: NonNullable<LogoutEndpoint["params"]> = {
  id_token_hint: "{id_token_hint}",
  logout_hint: "{logout_hint}",
  client_id: "{client_id}",
  post_logout_redirect_uri: "{post_logout_redirect_uri}",
  state: "{state}",
}

/**
 * The URL that signs a user out at a provider. Null if the provider has no such page.
 * @throws ProviderError if the discovery document cannot be read, or names an address that browsers must not open
 */
export async function createSignOutRequest(
  facts: SignOutFacts,
  provider: ResolvedOAuthProvider,
  endpoints: ProviderEndpoints,
): Promise<SignOutRequest | null> {
  const { url: configured, params } = toEndpoint(provider)
  const address = configured ?? (isOpenIdProvider(provider) ? await endpoints.findEndSession(provider) : undefined)
  if (address === undefined || address === null) return null
  const url = parseEndpoint(String(address), "end-session")
  assertSecureUrl(url, { endpoint: "end-session", ...provider.advanced })
  const filled = { ...standardParams, ...params }
  for (const hint of ["id_token_hint", "logout_hint"] as const) {
    const found = fillUrl(url, filled, { facts, provider, hint })
    if (found.url.length <= maxUrlLength) return found
  }
  return fillUrl(url, filled, { facts, provider, hint: undefined })
}

/** What an address is filled with. */
interface Filling {
  readonly facts: SignOutFacts
  readonly provider: ResolvedOAuthProvider
  /** How the provider is told who signs out. Undefined: it is not told. */
  readonly hint: "id_token_hint" | "logout_hint" | undefined
}

function fillUrl(endpoint: URL, params: NonNullable<LogoutEndpoint["params"]>, filling: Filling): SignOutRequest {
  const { facts, provider } = filling
  const url = new URL(endpoint)
  const values = toValues(filling)
  for (const [name, template] of Object.entries(params)) {
    const value = template === null ? undefined : fill(template, values)
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const isStateSent = [...url.searchParams.values()].includes(facts.state)
  const { request } = toEndpoint(provider)
  return { url: (request?.({ url, provider }) ?? url).href, isStateSent }
}

/** Whether the provider issues ID tokens, which the flow verifies. */
export function isOpenIdProvider({ type }: ResolvedOAuthProvider): boolean {
  return type === "oidc"
}

function toEndpoint({ logout }: ResolvedOAuthProvider): LogoutEndpoint {
  return typeof logout === "string" ? { url: logout } : (logout ?? {})
}

const claimPrefix = "claim:"

function toValues({ facts, provider: { clientId }, hint }: Filling): (name: string) => unknown {
  const { idToken, accountId, returnUrl, state } = facts
  const claims = idToken === undefined || hint === undefined ? {} : parseSignedToken(idToken).claims
  // The ID token says it better.
  const isTokenSent = idToken !== undefined && hint === "id_token_hint"
  const values: Readonly<Record<string, string | undefined>> = {
    id_token_hint: isTokenSent ? idToken : undefined,
    logout_hint: isTokenSent || hint === undefined ? undefined : accountId,
    client_id: clientId,
    post_logout_redirect_uri: returnUrl,
    state,
  }
  return (name) => (name.startsWith(claimPrefix) ? claims[name.slice(claimPrefix.length)] : values[name])
}

/** The value of a parameter: a placeholder in braces, or fixed text. */
function fill(template: string, values: (name: string) => unknown): string | undefined {
  const [, name] = /^\{(.+)\}$/.exec(template) ?? []
  if (name === undefined) return template
  const value = values(name)
  return typeof value === "string" ? value : undefined
}

const placeholder = /^\{(?:id_token_hint|logout_hint|client_id|post_logout_redirect_uri|state|claim:.+)\}$/

/** The first mistake in a provider's `logout`, or null. */
export function findLogoutMistake(provider: ResolvedOAuthProvider): InvalidConfiguration | null {
  const path = `providers.${provider.id}.logout`
  const { url, params = {} } = toEndpoint(provider)
  if (url !== undefined && !/^https?:$/.test(URL.parse(String(url))?.protocol ?? "")) {
    return new InvalidConfiguration(`${path}.url: must be an absolute http(s) URL`)
  }
  for (const [name, value] of Object.entries(params)) {
    const isText = value === null || typeof value === "string"
    if (isText && (!value?.startsWith("{") || placeholder.test(value))) continue
    const sentence = "must be text, null, or one of the placeholders, such as {post_logout_redirect_uri}"
    return new InvalidConfiguration(`${path}.params.${name}: ${sentence}`)
  }
  return null
}
