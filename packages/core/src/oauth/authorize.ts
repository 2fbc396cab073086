import { processPushedAuthorizationResponse, pushedAuthorizationRequest } from "oauth4webapi"
import { InvalidCheck, InvalidConfiguration, OAuthSignInError, UntrustedHost } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { type AllowedOrigins, isHttp } from "../http/origin.js"
import { andThen, attempt, rejecting } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { explain, findProviderReason } from "./advice.js"
import { getClientAuthentication, toClient, toTextParameters } from "./client.js"
import type { ProviderContext, ProviderEndpoints, ProviderServer } from "./endpoints.js"
import { toSafeError } from "./errors.js"
import { toCallOptions } from "./fetch.js"

export interface AuthorizationRequest {
  readonly provider: ResolvedOAuthProvider
  readonly redirectUri: string
  /** Query of the visitor's sign-in request. Untrusted. */
  readonly query: URLSearchParams
  readonly state?: string | undefined
  /** SHA-256 of the code verifier, base64url; RFC 7636 section 4.2. */
  readonly codeChallenge?: string | undefined
  readonly nonce?: string | undefined
}

/**
 * Parameters that bind the request to this app and flow. A visitor's query cannot set them.
 * @internal Exported for its test.
 */
export const reservedParameters: ReadonlySet<string> = new Set([
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "request",
  "request_uri",
])

/**
 * What a person may choose for their own sign-in, although the provider is configured with a default. All other configured
 * parameters, such as `acr_values`, `hd` and `max_age`, are the host's requirements.
 */
const personalParameters: ReadonlySet<string> = new Set(["scope", "prompt", "login_hint", "ui_locales", "display"])

const defaultScope = "openid profile email"

/** The scope that a visitor's authorization request asks for. Empty: none. */
export function toRequestedScope({ provider, query }: Pick<AuthorizationRequest, "provider" | "query">): string {
  return query.getAll("scope").at(-1) ?? toTextParameters(provider.authorization.params)["scope"] ?? defaultScope
}

/**
 * The URL where a visitor signs in, RFC 6749 section 4.1.1: the configured parameters, then the visitor's others (the last
 * of a name counts), then those of the flow. The default scope is `openid profile email`; a provider that wants none sets an
 * empty one. For a pushed request the URL only has the reference.
 * @throws OAuthSignInError when the endpoint is unknown, or the provider rejects the pushed request
 */
export function buildAuthorizationUrl(request: AuthorizationRequest, endpoints: ProviderEndpoints): Awaitable<URL> {
  const { provider } = request
  const pushed = provider.authorization.pushed ? (["pushed-authorization"] as const) : []
  const build = () =>
    andThen(endpoints.resolve(provider, ["authorization", ...pushed]), (server) =>
      buildUrl(request, { provider, server, endpoints }),
    )
  return rejecting(() =>
    attempt(build, (error) => {
      const err = toSafeError(error)
      throw new OAuthSignInError(explain(err, request), { err, provider: provider.id, ...findProviderReason(err) })
    }),
  )
}

function buildUrl(request: AuthorizationRequest, context: ProviderContext): Awaitable<URL> {
  const { provider, server } = context
  const address = String(server.metadata.authorization_endpoint)
  const endpoint = new URL(address)
  endpoint.search = toQuery(toParameters(endpoint, request))
  const url = customize(endpoint, provider)
  if (!isPushed(provider, server)) return url
  return pushRequest(url.searchParams, context).then((reference) => {
    const pushed = new URL(address)
    for (const [name, value] of reference) pushed.searchParams.set(name, value)
    return pushed
  })
}

function toParameters({ search }: URL, request: AuthorizationRequest): URLSearchParams {
  const params = new URLSearchParams(search)
  setAll(params, toTextParameters(request.provider.authorization.params))
  let fixed: ReadonlySet<string> | undefined
  for (const [name, value] of request.query) {
    fixed ??= new Set([...reservedParameters, ...params.keys()].filter((each) => !personalParameters.has(each)))
    if (!fixed.has(name)) params.set(name, value)
  }
  setAll(params, toFlowParameters(request))
  if (!params.has("scope")) params.set("scope", defaultScope)
  else if (params.get("scope") === "") params.delete("scope")
  return params
}

/** Calls the provider's `authorization.request` hook, which may change the URL. */
function customize(url: URL, provider: ResolvedOAuthProvider): URL {
  const custom = provider.authorization.request?.({ url, provider })
  if (!custom) return url
  const changed = new URL(custom)
  changed.search = toQuery(custom.searchParams)
  return changed
}

/** Encodes spaces as `%20`: some servers do not decode the plus sign of the form encoding. */
function toQuery(params: URLSearchParams): string {
  return params.toString().replaceAll("+", "%20")
}

function toFlowParameters({
  provider,
  redirectUri,
  state,
  codeChallenge,
  nonce,
}: AuthorizationRequest): Record<string, string> {
  return {
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    ...(state !== undefined && { state }),
    ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: "S256" }),
    ...(nonce !== undefined && { nonce }),
  }
}

function setAll(params: URLSearchParams, parameters: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(parameters)) params.set(name, value)
}

/** Whether the request is pushed to the provider first: by the host's option, or if the provider requires it. */
function isPushed({ authorization }: ResolvedOAuthProvider, { metadata }: ProviderServer): boolean {
  if (authorization.pushed !== undefined) return authorization.pushed !== false
  return metadata.require_pushed_authorization_requests === true
}

/**
 * Sends the authorization request to the provider directly and authenticated, RFC 9126 section 2, so that it cannot be
 * read or changed in the browser.
 * @returns the parameters that replace it in the URL
 * @throws ProviderError, or an error of the protocol library
 */
async function pushRequest(
  parameters: URLSearchParams,
  { provider, server, endpoints }: ProviderContext,
): Promise<URLSearchParams> {
  const client = toClient(provider, endpoints.clock)
  const response = await pushedAuthorizationRequest(
    server.metadata,
    client,
    getClientAuthentication(provider),
    parameters,
    toCallOptions(provider, "pushed-authorization"),
  )
  const { request_uri } = await processPushedAuthorizationResponse(server.metadata, client, response)
  return new URLSearchParams({ client_id: client.client_id, request_uri })
}

type ProxiedProvider = Pick<ResolvedOAuthProvider, "id" | "redirectProxyUrl" | "isFormPost">

/**
 * The `redirect_uri` of a flow: the redirect proxy's callback, or this service's own. A form post is never proxied, since
 * a redirect would lose the form.
 * @throws InvalidConfiguration unless the proxy's address is an http(s) URL
 */
export function resolveRedirectUri(provider: ProxiedProvider, callbackUrl: string): string {
  const proxy = findProxyUrl(provider)
  return proxy === null
    ? callbackUrl
    : `${proxy.origin}${proxy.pathname.replace(/(?<!\/)\/+$/, "")}/callback/${provider.id}`
}

export interface ProxyQuestion {
  readonly provider: ProxiedProvider
  /** Of this service. */
  readonly origin: string
  /** Callback URL of the service where the flow began, from the sealed state. */
  readonly stateOrigin: string | undefined
  /** Null: not configured, so that nothing is forwarded. */
  readonly allowedOrigins: AllowedOrigins | null
}

/**
 * Where this service, as the redirect proxy, forwards a callback; null when the sign-in completes here. The caller adds
 * the query.
 *
 * A state sealed with the shared secret is not enough: an attacker who begins a flow with a forged Host header chooses
 * the origin in it, and would receive a victim's code.
 * @throws InvalidCheck when the state does not name a callback of this provider
 * @throws UntrustedHost when it names an origin that the configuration does not list
 */
export function decideProxy({ provider, origin, stateOrigin, allowedOrigins }: ProxyQuestion): URL | null {
  const proxy = findProxyUrl(provider)
  if (proxy === null || proxy.origin !== origin || stateOrigin === undefined) return null
  const target = URL.parse(stateOrigin)
  if (target === null || !isCallback(target, provider.id)) {
    throw new InvalidCheck("The state does not name a callback that a redirect proxy may forward to", {
      provider: provider.id,
      ...because("state-altered"),
    })
  }
  if (target.origin === origin) return null
  if (allowedOrigins?.includes(target)) return target
  throw new UntrustedHost(
    `The sign-in began at ${target.origin}, which this redirect proxy does not forward to. If it is one of your services, list it: allowedOrigins: ["${target.origin}"]`,
    { provider: provider.id, ...because("host-not-listed", { host: target.host }) },
  )
}

function findProxyUrl({ id, redirectProxyUrl, isFormPost }: ProxiedProvider): URL | null {
  if (isFormPost || redirectProxyUrl === undefined) return null
  const url = URL.parse(redirectProxyUrl)
  if (isHttp(url)) return url
  throw new InvalidConfiguration(`providers.${id}.redirectProxyUrl: must be an absolute http(s) URL`)
}

function isCallback(url: URL, providerId: string): boolean {
  const isBare = url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  return isBare && isHttp(url) && url.pathname.endsWith(`/callback/${providerId}`)
}
