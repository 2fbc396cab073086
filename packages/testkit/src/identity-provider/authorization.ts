import { authenticateClient, type RegisteredClient } from "./client.js"
import { assertFormPost, fail, findRepeatedParameter, type Incoming, jsonResponse, OAuthError } from "./endpoint.js"
import type { AuthorizationAnswer, FaultContext } from "./faults/fault.js"
import { sign, signingByKey } from "./keys.js"
import { type ProviderState, pushedRequestSeconds } from "./provider-state.js"

/**
 * The authorization endpoint, RFC 6749 section 4.1.1. The current user consents at once. An invalid client or redirect
 * URI ends on an error page; every other error is returned to the client.
 */
export async function serveAuthorization(arrived: Incoming, provider: ProviderState): Promise<Response> {
  const incoming = readPushedRequest(arrived, provider)
  if (incoming === null) return errorPage("The request_uri is unknown")
  const { params } = incoming
  const { issuer, keys, apply } = provider
  const client = provider.clients.find(({ client_id }) => client_id === params.get("client_id"))
  const redirectUri = params.get("redirect_uri")
  const error = findFatalError(client, redirectUri, params)
  if (error !== null || !client || redirectUri === null) return errorPage(error ?? "The request is invalid")
  const mode = params.get("response_mode") ?? "query"
  const answer: AuthorizationAnswer = {
    params: decide({ ...incoming, isPushed: incoming !== arrived }, client, provider),
    mode: mode.startsWith("form_post") ? "form_post" : "query",
    isSigned: mode.endsWith("jwt"),
  }
  const context = { endpoint: "authorization", issuer, keys, incoming, client } as const
  const changed = await apply("authorizationAnswer", answer, context)
  const isSigned = changed.isSigned ?? answer.isSigned
  return sendBack(redirectUri, isSigned ? await signAnswer(changed, provider, context) : changed)
}

/** The pushed request of a `request_uri`, RFC 9126 section 4, or the request itself. Null for an unknown reference. */
function readPushedRequest(incoming: Incoming, { pushed }: ProviderState): Incoming | null {
  const reference = incoming.params.get("request_uri")
  if (!reference?.startsWith("urn:ietf:params:oauth:request_uri:")) return incoming
  const params = pushed.consume(reference, incoming.params.get("client_id"))
  return params && { ...incoming, params }
}

interface AuthorizationRequest extends Incoming {
  readonly isPushed: boolean
}

/** Errors after which the redirect URI cannot be trusted, RFC 6749 section 4.1.2.1. */
function findFatalError(
  client: RegisteredClient | undefined,
  uri: string | null,
  params: URLSearchParams,
): string | null {
  if (!client) return "No client is registered with this client_id"
  if (findRepeatedParameter(params)) return `The parameter ${findRepeatedParameter(params)} occurs twice`
  if (uri === null || !URL.canParse(uri)) return "The redirect_uri is missing or invalid"
  if (client.redirect_uris && !client.redirect_uris.includes(uri)) return "This redirect_uri is not registered"
  return null
}

function decide(
  { params, isPushed }: AuthorizationRequest,
  client: RegisteredClient,
  provider: ProviderState,
): URLSearchParams {
  const answer = new URLSearchParams()
  try {
    if (client.require_pushed_authorization_requests && !isPushed) fail("invalid_request", "The request must be pushed")
    answer.set("code", issueCode(params, client, provider))
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    answer.set("error", error.code)
    answer.set("error_description", error.message)
  }
  const state = params.get("state")
  if (state !== null) answer.set("state", state)
  answer.set("iss", provider.issuer)
  return answer
}

function issueCode(params: URLSearchParams, client: RegisteredClient, { grants, person }: ProviderState): string {
  assertRequest(params, client)
  return grants.issueCode({
    clientId: client.client_id,
    redirectUri: params.get("redirect_uri") ?? "",
    scope: params.get("scope") ?? "",
    person: person() ?? fail("access_denied", "The user denied the sign-in"),
    nonce: params.get("nonce"),
    codeChallenge: params.get("code_challenge"),
    authTime: Math.floor(Date.now() / 1000),
    sid: crypto.randomUUID(),
  })
}

const responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"]

function assertRequest(params: URLSearchParams, client: RegisteredClient): void {
  if (params.get("response_type") !== "code") fail("unsupported_response_type", "Only code is supported")
  if (params.has("request")) fail("request_not_supported", "Request objects are not supported")
  if (params.has("request_uri")) fail("request_uri_not_supported", "Request objects are not supported")
  if (!responseModes.includes(params.get("response_mode") ?? "query")) fail("invalid_request", "Unknown response_mode")
  const challenge = params.get("code_challenge")
  if (challenge === null && client.require_pkce) fail("invalid_request", "A code_challenge is required")
  if (challenge !== null && params.get("code_challenge_method") !== "S256")
    fail("invalid_request", "Only S256 is supported")
  if (challenge !== null && !/^[\w-]{43}$/.test(challenge))
    fail("invalid_request", "The code_challenge is not a SHA-256 hash")
}

/** Lifetime of a signed response. */
const signedAnswerSeconds = 600

/** The response as one signed token, JWT Secured Authorization Response Mode (JARM) section 2.1. */
async function signAnswer(
  { params, mode }: AuthorizationAnswer,
  { apply, issuer, keys }: ProviderState,
  context: FaultContext,
): Promise<AuthorizationAnswer> {
  const exp = Math.floor(Date.now() / 1000) + signedAnswerSeconds
  const claims = { ...Object.fromEntries(params), iss: issuer, aud: context.client?.client_id, exp }
  const payload = JSON.stringify(await apply("answerClaims", claims, context))
  const signing = await apply("answerSigning", await signingByKey(keys), context)
  const token = await apply("answerToken", await sign(payload, signing), context)
  return apply("signedAnswer", { params: new URLSearchParams({ response: token }), mode }, context)
}

function sendBack(redirectUri: string, { params, mode }: AuthorizationAnswer): Response {
  if (mode === "form_post") return formPostPage(redirectUri, params)
  const url = new URL(redirectUri)
  for (const [name, value] of params) url.searchParams.append(name, value)
  return new Response(null, { status: 302, headers: { location: url.href, "cache-control": "no-store" } })
}

/** A page that submits itself, OAuth 2.0 Form Post Response Mode section 4. */
export function formPostPage(redirectUri: string, params: URLSearchParams): Response {
  const inputs = [...params].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return page(
    "Signing in",
    `<body onload="document.forms[0].submit()"><form method="post" action="${escapeHtml(redirectUri)}">${inputs.join("")}</form></body>`,
    200,
  )
}

function errorPage(message: string): Response {
  return page("Sign-in failed", `<body><h1>Sign-in failed</h1><p>${escapeHtml(message)}</p></body>`, 400)
}

function page(title: string, body: string, status: number): Response {
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }
  return new Response(`<!doctype html><html lang="en"><title>${title}</title>${body}</html>`, { status, headers })
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

const clientCredentials = ["client_secret", "client_assertion", "client_assertion_type"]

/** The endpoint for pushed authorization requests, RFC 9126 section 2. */
export async function servePushedRequest(incoming: Incoming, provider: ProviderState): Promise<Response> {
  assertFormPost(incoming)
  const client = await authenticateClient(incoming, provider.clients, provider.issuer)
  const params = new URLSearchParams([...incoming.params].filter(([name]) => !clientCredentials.includes(name)))
  if (params.has("request_uri")) fail("invalid_request", "A pushed request must not contain a request_uri")
  if (params.get("client_id") !== client.client_id) fail("invalid_request", "The client_id belongs to another client")
  return jsonResponse({ request_uri: provider.pushed.store(client, params), expires_in: pushedRequestSeconds }, 201)
}
