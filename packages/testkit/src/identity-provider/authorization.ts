import { authenticateClient, type RegisteredClient } from "./client.js"
import { findRepeated, type Incoming, jsonAnswer, Refusal, refuse } from "./endpoint.js"
import type { AuthorizationAnswer, FaultContext } from "./faults/fault.js"
import { sign, signingByKey } from "./keys.js"
import type { Person } from "./person.js"
import { type Establishment, pushedRequestSeconds } from "./provider-state.js"

/**
 * The authorization endpoint, RFC 6749 section 4.1.1: agrees at once for whoever is there. What is wrong with the app
 * or its address is shown as a page; everything else is told to the app.
 */
export async function answerAuthorization(arrived: Incoming, establishment: Establishment): Promise<Response> {
  const incoming = findPushed(arrived, establishment)
  if (incoming === null) return errorPage("The request_uri is not known")
  const { params } = incoming
  const { issuer, keys, apply } = establishment
  const client = establishment.clients.find(({ client_id }) => client_id === params.get("client_id"))
  const redirectUri = params.get("redirect_uri")
  const fault = findFatalFault(client, redirectUri, params)
  if (fault !== null || !client || redirectUri === null) return errorPage(fault ?? "The request cannot be read")
  const mode = params.get("response_mode") ?? "query"
  const answer: AuthorizationAnswer = {
    params: decide({ ...incoming, isPushed: incoming !== arrived }, client, establishment),
    mode: mode.startsWith("form_post") ? "form_post" : "query",
    isSigned: mode.endsWith("jwt"),
  }
  const context = { endpoint: "authorization", issuer, keys, incoming, client } as const
  const changed = await apply("authorizationAnswer", answer, context)
  const isSigned = changed.isSigned ?? answer.isSigned
  return sendBack(redirectUri, isSigned ? await signAnswer(changed, { establishment, context }) : changed)
}

/** The request that a `request_uri` stands for, RFC 9126 section 4; every other one as it is. Null: nobody knows it. */
function findPushed(incoming: Incoming, { pushed }: Establishment): Incoming | null {
  const reference = incoming.params.get("request_uri")
  if (!reference?.startsWith("urn:ietf:params:oauth:request_uri:")) return incoming
  const params = pushed.spend(reference, incoming.params.get("client_id"))
  return params && { ...incoming, params }
}

interface Asked extends Incoming {
  readonly isPushed: boolean
}

/** Faults after which the address is not to be trusted, RFC 6749 section 4.1.2.1. */
function findFatalFault(
  client: RegisteredClient | undefined,
  uri: string | null,
  params: URLSearchParams,
): string | null {
  if (!client) return "No app of this client_id is registered"
  if (findRepeated(params)) return `The parameter ${findRepeated(params)} comes twice`
  if (uri === null || !URL.canParse(uri)) return "There is no redirect_uri"
  if (client.redirect_uris && !client.redirect_uris.includes(uri)) return "This redirect_uri is not registered"
  return null
}

function decide({ params, isPushed }: Asked, client: RegisteredClient, establishment: Establishment): URLSearchParams {
  const answer = new URLSearchParams()
  try {
    if (client.require_pushed_authorization_requests && !isPushed)
      refuse("invalid_request", "The request must be pushed")
    answer.set("code", agree(params, client, establishment))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    answer.set("error", error.code)
    answer.set("error_description", error.message)
  }
  const state = params.get("state")
  if (state !== null) answer.set("state", state)
  answer.set("iss", establishment.issuer)
  return answer
}

function agree(params: URLSearchParams, client: RegisteredClient, { grants, person }: Establishment): string {
  assertRequest(params, client)
  return grants.issueCode({
    clientId: client.client_id,
    redirectUri: params.get("redirect_uri") ?? "",
    scope: params.get("scope") ?? "",
    person: getPerson(person()),
    nonce: params.get("nonce"),
    codeChallenge: params.get("code_challenge"),
    authTime: Math.floor(Date.now() / 1000),
  })
}

const responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"]

function assertRequest(params: URLSearchParams, client: RegisteredClient): void {
  if (params.get("response_type") !== "code") refuse("unsupported_response_type", "Only code is supported")
  if (params.has("request")) refuse("request_not_supported", "Request objects are not supported")
  if (params.has("request_uri")) refuse("request_uri_not_supported", "Request objects are not supported")
  if (!responseModes.includes(params.get("response_mode") ?? "query"))
    refuse("invalid_request", "Unknown response_mode")
  const challenge = params.get("code_challenge")
  if (challenge === null && client.require_pkce) refuse("invalid_request", "A code_challenge is needed")
  if (challenge !== null && params.get("code_challenge_method") !== "S256")
    refuse("invalid_request", "Only S256 is supported")
  if (challenge !== null && !/^[\w-]{43}$/.test(challenge))
    refuse("invalid_request", "The code_challenge is no SHA-256 hash")
}

function getPerson(person: Person | null): Person {
  return person ?? refuse("access_denied", "Nobody agreed to sign in")
}

function sendBack(redirectUri: string, { params, mode }: AuthorizationAnswer): Response {
  if (mode === "form_post") return formPostPage(redirectUri, params)
  const url = new URL(redirectUri)
  for (const [name, value] of params) url.searchParams.append(name, value)
  return new Response(null, { status: 302, headers: { location: url.href, "cache-control": "no-store" } })
}

/** OAuth 2.0 Form Post Response Mode section 4: a page that sends itself off. */
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

const lifetimeSeconds = 600

interface SignedAnswerNeeds {
  readonly establishment: Establishment
  readonly context: FaultContext
}

/** The answer as one signed token, JWT Secured Authorization Response Mode (JARM) section 2.1. */
async function signAnswer(
  { params, mode }: AuthorizationAnswer,
  { establishment, context }: SignedAnswerNeeds,
): Promise<AuthorizationAnswer> {
  const { apply, issuer, keys } = establishment
  const honest = {
    ...Object.fromEntries(params),
    iss: issuer,
    aud: context.client?.client_id,
    exp: Math.floor(Date.now() / 1000) + lifetimeSeconds,
  }
  const claims = await apply("answerClaims", honest, context)
  const signing = await apply("answerSigning", await signingByKey(keys), context)
  const token = await apply("answerToken", await sign(JSON.stringify(claims), signing), context)
  return apply("signedAnswer", { params: new URLSearchParams({ response: token }), mode }, context)
}

const ofTheApp = ["client_secret", "client_assertion", "client_assertion_type"]

/** The endpoint for pushed authorization requests, RFC 9126 section 2. */
export async function answerPushedRequest(incoming: Incoming, establishment: Establishment): Promise<Response> {
  const { method, url } = incoming
  if (method !== "POST") refuse("invalid_request", "Only POST is allowed", 405)
  if (url.search !== "") refuse("invalid_request", "Parameters belong in the body")
  const repeated = findRepeated(incoming.params)
  if (repeated) refuse("invalid_request", `The parameter ${repeated} comes twice`)
  const client = await authenticateClient(incoming, establishment.clients, establishment.issuer)
  const params = new URLSearchParams([...incoming.params].filter(([name]) => !ofTheApp.includes(name)))
  if (params.has("request_uri")) refuse("invalid_request", "A pushed request refers to no other one")
  if (params.get("client_id") !== client.client_id) refuse("invalid_request", "The client_id is another app's")
  return jsonAnswer({ request_uri: establishment.pushed.keep(client, params), expires_in: pushedRequestSeconds }, 201)
}
