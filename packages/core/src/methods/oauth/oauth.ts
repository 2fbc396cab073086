import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration, InvalidEndpoints } from "../../errors/errors.js"
import { isHttpAddress } from "../../http/origin.js"
import { findVariable } from "../../runtime/environment.js"
import { merge } from "../../runtime/merge.js"
import type { WarningCode } from "../../types/logger.js"
import type { AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint } from "../../types/oauth-provider.js"
import type { ProviderConfig } from "../../types/providers.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "../../types/resolved.js"
import type { SignInMethod } from "../method.js"
import { listBrokenRules, validateRules } from "../option-rules.js"

/** OAuth 2.0 and OpenID Connect. */
export const oauthMethod: SignInMethod<ResolvedOAuthProvider> = {
  label: "an OAuth provider",
  environmentOptions({ optionRules }: ProviderConfig) {
    const options = ["clientId", "clientSecret", "issuer"] as const
    return optionRules?.["apiKey"] ? [...options, "apiKey"] : options
  },
  resolve: resolveOAuthProvider,
  validate: validateRules,
  findDefect: (provider, path) => findMissingCredential(provider, path) ?? findLongState(provider, path),
  warnings({ checks, allowDangerousEmailAccountLinking }) {
    const found: WarningCode[] = []
    if (checks.includes("none")) found.push("checks-none")
    if (allowDangerousEmailAccountLinking) found.push("email-linking-enabled")
    return found
  },
  adapterMethods: [],
  callbackMethods: ({ isFormPost }) => [isFormPost ? "POST" : "GET"],
  isCallbackOurForm: false,
  serverStart: "signin",
  form: ({ id, name, style }, { signinUrl }) => ({
    kind: "redirect",
    id,
    name,
    signinUrl,
    logo: style?.logo,
    mark: style?.mark,
  }),
  pageSources({ style, authorization, issuer, wellKnown }) {
    return {
      images: [style?.logo],
      formTargets: [authorization.url && String(authorization.url), issuer, wellKnown],
    }
  },
}

type OAuthProvider = Extract<ProviderConfig, { readonly type: "oauth" | "oidc" }>

/** Merges the host's options into a provider, and fills in the defaults. */
function resolveOAuthProvider(
  facts: ProviderConfig,
  options: object | undefined,
  globalProxyUrl: string | undefined,
): ResolvedOAuthProvider {
  const provider = withDerivedFacts(facts as OAuthProvider, options) // as: the type of the method.
  const authorization = toAuthorization(provider.authorization)
  const responseMode = authorization.params?.["response_mode"]
  const isFormPost = responseMode === "form_post" || responseMode === "form_post.jwt"
  // A proxy forwards by redirect, which is impossible for a form post.
  const proxy = isFormPost ? undefined : (provider.redirectProxyUrl ?? globalProxyUrl)
  const kept = "derive" in provider || "redirectProxyUrl" in provider ? withoutSources(provider) : provider
  const checks = provider.checks ?? ["pkce"]
  return {
    ...kept,
    clientId: provider.clientId ?? "",
    authorization,
    token: toEndpoint<TokenEndpoint>(provider.token),
    userinfo: toEndpoint<UserinfoEndpoint>(provider.userinfo),
    checks: proxy && !checks.includes("state") ? [...checks, "state"] : checks,
    idToken: provider.type === "oidc" && provider.idToken !== false,
    // as: each provider's `profile` callback knows the type of its own profile.
    profile: provider.profile as ResolvedOAuthProvider["profile"],
    isFormPost,
    isJwtResponse: isResponseMode(responseMode) && responseMode.endsWith("jwt"),
    ...(proxy && { redirectProxyUrl: proxy }),
  }
}

/** What is not kept: they are for other fields. Leaving fields out of a copy takes longer than copying all. */
function withoutSources({ redirectProxyUrl: _, derive: __, ...kept }: OAuthProvider): OAuthProvider {
  return kept
}

/**
 * Merges what `derive` returns, the provider's facts, which a host may have written over those of a factory, and the
 * host's options. The derived issuer overrides all.
 */
function withDerivedFacts(given: OAuthProvider, options: object | undefined): OAuthProvider {
  // Only if something is merged into them. as: `withEndpointObjects` keeps the other fields.
  const facts = options || given.derive ? (withEndpointObjects(given) as OAuthProvider) : given
  const merged = merge(facts, options)
  if (!merged.derive || listBrokenRules(merged).length > 0) return merged
  const derived = merged.derive(merged)
  const { issuer } = derived
  const filled = merge(withEndpointObjects(derived), facts) as OAuthProvider // It has all fields of the facts.
  return merge(merge(filled, options), { issuer })
}

const endpointNames = ["authorization", "token", "userinfo"] as const

/** Converts endpoints from text to objects, so that options with only `params` keep the URL. */
function withEndpointObjects(facts: object): object {
  if (!endpointNames.some((name) => typeof Reflect.get(facts, name) === "string")) return facts
  const filled: Record<string, unknown> = { ...facts }
  for (const name of endpointNames) {
    if (typeof filled[name] === "string") filled[name] = { url: filled[name] }
  }
  return filled
}

function toEndpoint<Endpoint extends { readonly url?: string | URL | undefined }>(
  given: string | Endpoint | undefined,
): Endpoint {
  return typeof given === "string" ? ({ url: given } as Endpoint) : (given ?? ({} as Endpoint)) // All fields are optional.
}

/** Moves the URL's query into the parameters. `params` overrides it. */
function toAuthorization(given: string | AuthorizationEndpoint | undefined): AuthorizationEndpoint {
  const endpoint = toEndpoint<AuthorizationEndpoint>(given)
  const text = String(endpoint.url)
  // Most have no query, and parsing takes long.
  const url = text.includes("?") ? URL.parse(text) : null
  if (!url) return { ...endpoint, params: { ...endpoint.params } }
  const params = { ...Object.fromEntries(url.searchParams), ...endpoint.params }
  url.search = ""
  return { ...endpoint, url, params }
}

/**
 * How a provider may send its answer: OAuth 2.0 Multiple Response Type Encoding Practices section 2.1, OAuth 2.0 Form
 * Post Response Mode, and JWT Secured Authorization Response Mode (JARM) section 2.3. A fragment never reaches a
 * server.
 */
const responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"] as const

type ResponseMode = (typeof responseModes)[number]

function isResponseMode(value: unknown): value is ResponseMode {
  // as: `includes` takes no other type. It creates no function, as `some` does for each provider.
  return (responseModes as readonly unknown[]).includes(value)
}

/**
 * What an app is still missing when its environment variables are not set. The other requests are answered, as in the
 * contract.
 */
function findMissingCredential(provider: ResolvedOAuthProvider, path: string): InvalidConfiguration | null {
  const option = provider.clientId === "" ? "clientId" : needsSecret(provider) ? "clientSecret" : null
  if (option === null) return null
  const variable = findVariable(provider.id, option)
  return new InvalidConfiguration(`${path}.${option}: missing. Set it, or ${variable} in the environment`)
}

/** Characters of a sealed state with the callback address that the redirect proxy reads. */
const sealedStateLength = 720

/** A state that the provider would cut off or refuse. */
function findLongState(
  { authorization, redirectProxyUrl }: ResolvedOAuthProvider,
  path: string,
): InvalidConfiguration | null {
  const { maxStateLength = sealedStateLength } = authorization
  if (redirectProxyUrl === undefined || maxStateLength >= sealedStateLength) return null
  const limit = `the provider accepts a state of at most ${maxStateLength} characters, too few for a redirect proxy`
  return new InvalidConfiguration(
    `${path}.redirectProxyUrl: ${limit}. Register the callback URL of this host at the provider`,
  )
}

/** Whether the secret that authenticates the app at the provider is missing. */
function needsSecret({ client, clientSecret }: ResolvedOAuthProvider): boolean {
  const method = client?.token_endpoint_auth_method ?? "client_secret_basic"
  return !clientSecret && method.startsWith("client_secret_")
}

/**
 * Checks the options of an OAuth or OpenID Connect provider. It is not a part of the method, so that code that only reads
 * sessions does not have it.
 */
export function validateOAuth(provider: ResolvedProvider, path: string): AuthError | null {
  if (provider.type !== "oauth" && provider.type !== "oidc") return null
  const missing = validateEndpoints(provider, path)
  if (missing) return missing
  const sentence =
    validateUrls(provider) ??
    validateScope(provider) ??
    validateChecks(provider) ??
    validateResponseType(provider) ??
    validateResponseMode(provider) ??
    validatePushed(provider) ??
    validateClientAuthentication(provider) ??
    validateRefresh(provider) ??
    validateAdvanced(provider)
  return sentence === null ? null : new InvalidConfiguration(`${path}.${sentence}`)
}

function validateEndpoints(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  if (provider.issuer || provider.wellKnown) return null
  const missing = endpointNames.filter(
    (name) => !provider[name].url && !(name === "userinfo" && provider.userinfo.request),
  )
  if (missing.length === 0) return null
  const names = missing.map((name) => `${path}.${name}`)
  return new InvalidEndpoints(`${names.join(", ")}: a provider without an issuer needs the URL of each endpoint`)
}

function validateUrls(provider: ResolvedOAuthProvider): string | null {
  const { issuer, wellKnown, redirectProxyUrl, authorization, token, userinfo, revocation } = provider
  const hasOptions = typeof revocation === "object"
  const addresses: Readonly<Record<string, unknown>> = {
    issuer,
    wellKnown,
    redirectProxyUrl,
    "authorization.url": authorization.url,
    "token.url": token.url,
    "userinfo.url": userinfo.url,
    revocation: hasOptions ? undefined : revocation,
    "revocation.url": hasOptions ? revocation.url : undefined,
  }
  for (const name in addresses) {
    if (addresses[name] === undefined || isHttpAddress(addresses[name])) continue
    return `${name}: must be an absolute http(s) URL`
  }
  return null
}

/** RFC 6749 section 3.3. An empty scope omits the default. */
const scopePattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function validateScope({ authorization }: ResolvedOAuthProvider): string | null {
  const scope = authorization.params?.["scope"]
  if (scope === undefined || scope === null || (typeof scope === "string" && scopePattern.test(scope))) return null
  return 'authorization.params.scope: must be one text with all scopes, such as "openid profile email"'
}

const oauthChecks = ["pkce", "state", "none"]
const oidcChecks = ["pkce", "state", "nonce", "none"]

function validateChecks({ type, checks }: ResolvedOAuthProvider): string | null {
  if (!Array.isArray(checks)) return "checks: must be a list"
  const known = type === "oidc" ? oidcChecks : oauthChecks
  const unknown = checks.find((check) => !known.includes(check))
  return unknown === undefined ? null : `checks: only ${known.join(", ")}`
}

/** The implicit grant is not supported: RFC 9700 section 2.1.2. */
function validateResponseType({ authorization }: ResolvedOAuthProvider): string | null {
  const responseType = authorization.params?.["response_type"] ?? "code"
  return responseType === "code" ? null : "authorization.params.response_type: only the code flow is offered"
}

function validateResponseMode({
  authorization,
  isJwtResponse,
  issuer,
  wellKnown,
}: ResolvedOAuthProvider): string | null {
  const mode = authorization.params?.["response_mode"]
  if (mode !== undefined && !isResponseMode(mode))
    return `authorization.params.response_mode: only ${responseModes.join(", ")}`
  if (!isJwtResponse || issuer || wellKnown) return null
  return "authorization.params.response_mode: signed answers need the provider's issuer"
}

function validatePushed({ authorization, issuer, wellKnown }: ResolvedOAuthProvider): string | null {
  const { pushed } = authorization
  if (pushed === undefined || pushed === false) return null
  if (pushed !== true)
    return isHttpAddress(pushed) ? null : "authorization.pushed: must be true or an absolute http(s) URL"
  return issuer || wellKnown ? null : "authorization.pushed: a provider without an issuer needs the URL"
}

const clientAuthenticationMethods = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
]

function validateClientAuthentication({ client, token }: ResolvedOAuthProvider): string | null {
  const method = client?.token_endpoint_auth_method
  if (method !== undefined && !clientAuthenticationMethods.includes(method)) {
    return `client.token_endpoint_auth_method: only ${clientAuthenticationMethods.join(", ")}`
  }
  const isKeyMissing = method === "private_key_jwt" && !token.clientPrivateKey
  return isKeyMissing ? "token.clientPrivateKey: private_key_jwt needs one" : null
}

function validateRefresh({ token: { keptParams, expiresIn } }: ResolvedOAuthProvider): string | null {
  const isList = Array.isArray(keptParams) && keptParams.every((name) => typeof name === "string")
  if (keptParams !== undefined && !isList) return 'token.keptParams: must be a list of names, such as ["device_id"]'
  const isLifetime = expiresIn === undefined || (Number.isSafeInteger(expiresIn) && expiresIn > 0)
  return isLifetime ? null : "token.expiresIn: must be an integer of seconds above 0"
}

function validateAdvanced({ advanced }: ResolvedOAuthProvider): string | null {
  if (advanced === undefined) return null
  if (typeof advanced !== "object") return "advanced: must be an object"
  const { clockToleranceSeconds, answerLimits } = advanced ?? {}
  const numbers = [
    ["clockToleranceSeconds", clockToleranceSeconds, 0, 60],
    ["answerLimits.seconds", answerLimits?.seconds, 0.001, 60],
    ["answerLimits.bytes", answerLimits?.bytes, 1024, 16 * 1024 * 1024],
  ] as const
  for (const [name, value, least, most] of numbers) {
    if (value === undefined || (typeof value === "number" && value >= least && value <= most)) continue
    return `advanced.${name}: must be a number from ${least} to ${most}`
  }
  return null
}
