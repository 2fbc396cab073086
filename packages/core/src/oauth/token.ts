import {
  authorizationCodeGrantRequest,
  type Client,
  customFetch as callWith,
  getValidatedIdTokenClaims,
  type IDToken,
  nopkce,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
} from "oauth4webapi"
import { isRecord, parseJson } from "../runtime/json.js"
import { andThen, isPromiseLike } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { TokenEndpoint, TokenRequestContext } from "../types/oauth-provider.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { TokenSet } from "../types/user.js"
import { getClientAuthentication, toTextParameters } from "./client.js"
import type { ProviderContext } from "./endpoints.js"
import { createAnswerError, refusalsOf } from "./errors.js"
import { createProviderFetch, type JsonAnswer, type ProtocolCallOptions, readText, toCallOptions } from "./fetch.js"
import { assertNonce, toExpectedServer, verifyIdToken } from "./id-token.js"
import { parseSignedToken } from "./jws.js"
import { withKeptFields } from "./kept-parameters.js"

export interface Redemption {
  readonly tokens: TokenSet
  /** Claims of the verified ID token; undefined for plain OAuth 2.0. */
  readonly claims?: IDToken
}

interface CodeGrant {
  /** Validated parameters of the authorization response. */
  readonly parameters: URLSearchParams
  readonly client: Client
  readonly redirectUri: string
  readonly codeVerifier?: string | undefined
  /** The nonce of the flow, which the ID token must repeat. */
  readonly nonce?: string | undefined
}

/**
 * Exchanges a code for tokens, once, RFC 6749 section 4.1.3, and verifies the ID token of an OpenID Connect provider.
 * @throws ProviderError, or an error of the protocol library
 */
export async function redeemCode(grant: CodeGrant, context: ProviderContext): Promise<Redemption> {
  const { provider } = context
  const conforming = conform(provider, await requestTokens(grant, context))
  const response = isPromiseLike(conforming) ? await conforming : conforming
  const sent = ["code", "state"].map((name) => grant.parameters.get(name) ?? undefined)
  const secrets = [provider.clientSecret, grant.codeVerifier, grant.nonce, ...sent]
  const answer = await parseTokenAnswer(provider, response, secrets)
  const redemption =
    provider.type === "oidc"
      ? await validateOpenIdAnswer(answer, grant, context)
      : await validateOAuthAnswer(answer, grant, context)
  const { parameters, redirectUri } = grant
  return { ...redemption, tokens: withKeptFields(redemption.tokens, provider, { parameters, redirectUri }) }
}

async function validateOAuthAnswer(
  answer: TokenAnswer,
  { client }: CodeGrant,
  { server, endpoints }: ProviderContext,
): Promise<Redemption> {
  const tokens = await processAuthorizationCodeResponse(server.metadata, client, answer.response)
  return { tokens: toTokenSet(tokens, answer, endpoints.clock()) }
}

async function validateOpenIdAnswer(
  answer: TokenAnswer,
  grant: CodeGrant,
  context: ProviderContext,
): Promise<Redemption> {
  const { response, idToken } = answer
  if (idToken === undefined) throw refusal("no-id-token", "The token endpoint returned no ID token")
  const token = parseSignedToken(idToken)
  if (grant.nonce !== undefined) assertNonce(token, grant.nonce)
  const expected = toExpectedServer(context.provider, context.server, token)
  const tokens = await processAuthorizationCodeResponse(expected, grant.client, response, {
    requireIdToken: true,
    ...(grant.nonce !== undefined && { expectedNonce: grant.nonce }),
  })
  const claims = getValidatedIdTokenClaims(tokens)
  if (!claims) throw refusal("no-id-token", "The token endpoint returned no ID token")
  return andThen(verifyIdToken({ token, claims, accessToken: tokens.access_token }, context), () => {
    return { tokens: toTokenSet(tokens, answer, context.endpoints.clock()), claims }
  })
}

function requestTokens(grant: CodeGrant, { provider, server }: ProviderContext): Promise<Response> {
  return authorizationCodeGrantRequest(
    server.metadata,
    grant.client,
    getClientAuthentication(provider),
    grant.parameters,
    grant.redirectUri,
    grant.codeVerifier ?? nopkce,
    toTokenCall(provider, grant.parameters),
  )
}

interface TokenCall extends ProtocolCallOptions {
  readonly additionalParameters: Record<string, string>
  readonly signal?: AbortSignal
}

/**
 * A call of the token endpoint with the provider's `token.params`. Its `token.request` hook, if it has one, makes the call
 * instead.
 * @param callback The parameters of the callback that the hook needs.
 * @param signal Aborts the call.
 */
export function toTokenCall(
  provider: ResolvedOAuthProvider,
  callback: URLSearchParams,
  signal?: AbortSignal,
): TokenCall {
  const { request, conform, params } = provider.token
  // `parseTokenAnswer` reads the answer with `readText`, unless a hook gets it before.
  const reader = conform ? undefined : "readText"
  const call = { ...toCallOptions(provider, "token", reader), additionalParameters: toTextParameters(params) }
  if (!request) return { ...call, ...(signal && { signal }) }
  const fetch = createProviderFetch(provider, "token")
  return { ...call, [callWith]: toHookCall(request, { callback, provider: { ...provider, fetch } }, signal) }
}

type RequestHook = NonNullable<TokenEndpoint["request"]>

/** Lets a hook send the request of the protocol library. The hook's own calls end with the signal. */
export function toHookCall(
  request: RequestHook,
  { callback, provider }: Pick<TokenRequestContext, "callback" | "provider">,
  signal?: AbortSignal,
): ProtocolCallOptions[typeof callWith] {
  const send: typeof fetch = signal ? (input, init) => provider.fetch(input, { signal, ...init }) : provider.fetch
  return async (url, init) => {
    const { headers, body }: RequestInit = init
    return request({
      url,
      headers: new Headers(headers),
      // The body is always a form.
      params: new URLSearchParams(String(body)),
      callback: new URLSearchParams(callback),
      provider: { ...provider, fetch: send },
    })
  }
}

/** A token response, ready for the protocol library. */
export interface TokenAnswer {
  readonly response: Response
  /** The ID token of an OpenID Connect provider, unverified. */
  readonly idToken?: string
  /** An ID token that a plain OAuth provider added. Never verified. */
  readonly strayIdToken?: string
}

/** Lets the provider's `conform` hook fix a response. */
export function conform({ token }: ResolvedOAuthProvider, response: Response): Awaitable<Response> {
  return token.conform ? andThen(token.conform(response.clone()), (fixed) => fixed ?? response) : response
}

/**
 * Normalizes common deviations from RFC 6749 section 5: nulls, a lifetime as text, an error with status 200.
 * @throws ProviderError for an error, for a status other than 200, such as 500, and for anything but a JSON object
 */
export function parseTokenAnswer(
  provider: ResolvedOAuthProvider,
  response: Response,
  secrets: readonly (string | undefined)[],
): Awaitable<TokenAnswer> {
  const { status } = response
  return andThen(readText(response), (text) => {
    const answer = parseJson(text)
    const { error, error_description: description } = isRecord(answer) ? answer : {}
    if (status !== 200 || (typeof error === "string" && error !== "")) {
      throw createAnswerError({ code: "token-error", endpoint: "token", status, error, description, secrets })
    }
    if (!isRecord(answer)) throw refusal("not-json", "The token endpoint did not return a JSON object")
    const fields = toFields(answer)
    const { id_token: idToken } = fields
    const hasIdToken = typeof idToken === "string"
    if (provider.type === "oidc") return { response: toJsonResponse(fields), ...(hasIdToken && { idToken }) }
    const { id_token: _, ...asked } = fields
    // An ID token that was not requested is not used: the profile comes from the userinfo endpoint.
    return { response: toJsonResponse(asked), ...(hasIdToken && { strayIdToken: idToken }) }
  })
}

/** What the protocol library reads as JSON: no more than it reads of it, since a body would be written and read again. */
function toJsonResponse(fields: JsonAnswer): Response {
  const read = { status: 200, bodyUsed: false, json: async () => fields }
  return Object.setPrototypeOf(read, Response.prototype)
}

/** The token set of a validated response. */
export function toTokenSet(answer: TokenEndpointResponse, { strayIdToken }: TokenAnswer, nowMs: number): TokenSet {
  const { token_type, expires_in } = answer
  if (token_type !== "bearer") throw refusal("token-type", "The token endpoint did not return a bearer token")
  return {
    ...answer,
    ...(strayIdToken !== undefined && { id_token: strayIdToken }),
    ...(expires_in !== undefined && { expires_at: Math.floor(nowMs / 1000) + Math.floor(expires_in) }),
  }
}

const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

function toFields(answer: JsonAnswer): JsonAnswer {
  const fields = Object.entries(answer).filter(
    ([name, value]) =>
      value !== null && !prototypeKeys.has(name) && (name !== "expires_at" || Number.isSafeInteger(value)),
  )
  const copy: JsonAnswer = Object.fromEntries(fields)
  return copy["expires_in"] === undefined ? copy : { ...copy, expires_in: parseLifetime(copy["expires_in"]) }
}

/** Seconds; some providers send them as text. */
function parseLifetime(value: unknown): number {
  const seconds = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof seconds === "number" && seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER) return seconds
  throw refusal("lifetime", "The token endpoint returned an invalid lifetime, which must be a number of seconds")
}

const refusal = refusalsOf({ endpoint: "token", status: 200 })
