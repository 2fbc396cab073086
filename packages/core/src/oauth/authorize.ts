import { processPushedAuthorizationResponse, pushedAuthorizationRequest } from "oauth4webapi"
import { OAuthSignInError } from "../errors/errors.js"
import type { Clock } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { getClientAuthentication, toClient, toTextParameters } from "./client.js"
import type { NamedEndpoint, ProviderEndpoints, ProviderServer } from "./endpoints.js"
import { toSafeError } from "./errors.js"
import { createProviderFetch, toCallOptions } from "./fetch.js"

export interface AuthorizationRequest {
  readonly provider: ResolvedOAuthProvider
  readonly redirectUri: string
  /** The query of the visitor's sign-in request. Untrusted. */
  readonly query: URLSearchParams
  readonly state?: string | undefined
  /** SHA-256 of the code verifier, base64url; RFC 7636 section 4.2. */
  readonly codeChallenge?: string | undefined
  readonly nonce?: string | undefined
}

/**
 * Parameters that bind the request to this app and this flow, which a visitor's query never sets.
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

const defaultScope = "openid profile email"

/**
 * Where a visitor is sent to sign in, RFC 6749 section 4.1.1: the provider's parameters, then the visitor's, of which
 * the last one of a name counts, then those of the flow. Without `scope` it is `openid profile email`; an empty one is
 * how a provider says that none is sent. Of a pushed request the address holds the reference alone.
 * @throws OAuthSignInError when the endpoint cannot be found, or the provider takes no pushed request.
 */
export async function buildAuthorizationUrl(request: AuthorizationRequest, endpoints: ProviderEndpoints): Promise<URL> {
  const { provider } = request
  try {
    const server = await endpoints.resolve(provider, neededEndpoints(provider))
    return await address(request, { provider, server, clock: endpoints.clock })
  } catch (error) {
    throw new OAuthSignInError({ err: toSafeError(error), provider: provider.id })
  }
}

function neededEndpoints({ authorization }: ResolvedOAuthProvider): readonly NamedEndpoint[] {
  return authorization.pushed ? ["authorization", "pushed-authorization"] : ["authorization"]
}

async function address(request: AuthorizationRequest, context: PushContext): Promise<URL> {
  const { provider, server } = context
  const endpoint = new URL(String(server.metadata.authorization_endpoint))
  const asked = finish(withQuery(endpoint, toParameters(endpoint, request)), provider)
  if (!isPushed(provider, server)) return asked
  const reference = await pushRequest(asked.searchParams, context)
  for (const [name, value] of reference) endpoint.searchParams.set(name, value)
  return endpoint
}

function toParameters({ search }: URL, request: AuthorizationRequest): URLSearchParams {
  const params = new URLSearchParams(search)
  setAll(params, toTextParameters(request.provider.authorization.params))
  for (const [name, value] of request.query) if (!reservedParameters.has(name)) params.set(name, value)
  setAll(params, toFlowParameters(request))
  if (!params.has("scope")) params.set("scope", defaultScope)
  else if (params.get("scope") === "") params.delete("scope")
  return params
}

/** The provider's own `authorization.request` has the last word. */
function finish(url: URL, provider: ResolvedOAuthProvider): URL {
  const finished = provider.authorization.request?.({ url, provider })
  return finished ? withQuery(finished, finished.searchParams) : url
}

/** Both spell a space in a form's encoding, but some servers read the plus sign as itself. */
function withQuery(url: URL, params: URLSearchParams): URL {
  const changed = new URL(url)
  changed.search = params.toString().replaceAll("+", "%20")
  return changed
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

interface PushContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly clock: Clock
}

/** Whether the request goes to the provider first: as the host says, else as the provider requires it. */
function isPushed({ authorization }: ResolvedOAuthProvider, { metadata }: ProviderServer): boolean {
  if (authorization.pushed !== undefined) return authorization.pushed !== false
  return metadata.require_pushed_authorization_requests === true
}

/**
 * Hands an authorization request to the provider itself, RFC 9126 section 2, where the app proves who it is: nobody on
 * the way can read or change it.
 * @returns What goes through the browser in its place.
 * @throws ProviderError, or an error of the protocol library.
 */
async function pushRequest(
  parameters: URLSearchParams,
  { provider, server, clock }: PushContext,
): Promise<URLSearchParams> {
  const client = toClient(provider, clock)
  const response = await pushedAuthorizationRequest(
    server.metadata,
    client,
    getClientAuthentication(provider),
    parameters,
    toCallOptions(createProviderFetch(provider, "pushed-authorization")),
  )
  const { request_uri } = await processPushedAuthorizationResponse(server.metadata, client, response)
  return new URLSearchParams({ client_id: client.client_id, request_uri })
}
