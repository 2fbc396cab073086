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
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { TokenSet } from "../types/user.js"
import { getClientAuthentication, toTextParameters } from "./client.js"
import type { ProviderContext } from "./endpoints.js"
import { ProviderError, toLogCode } from "./errors.js"
import {
  createProviderFetch,
  isObject,
  type JsonAnswer,
  type ProtocolCallOptions,
  parseJson,
  toCallOptions,
} from "./fetch.js"
import { assertNonce, toExpectedServer, verifyIdToken } from "./id-token.js"
import { parseSignedToken } from "./jws.js"

export interface Redemption {
  readonly tokens: TokenSet
  /** Claims of the verified ID token; undefined for plain OAuth 2.0. */
  readonly claims?: IDToken
}

/**
 * Exchanges a code for tokens, RFC 6749 section 4.1.3, once, and verifies the ID token of an OpenID Connect provider.
 * @throws ProviderError, or an error of the protocol library.
 */
export async function redeemCode(grant: CodeGrant, context: ProviderContext): Promise<Redemption> {
  const { provider } = context
  const answer = await parseTokenAnswer(provider, await requestTokens(grant, context))
  return provider.type === "oidc"
    ? validateOpenIdAnswer(answer, grant, context)
    : validateAnswer(answer, grant, context)
}

async function validateAnswer(
  answer: TokenAnswer,
  { client }: CodeGrant,
  context: ProviderContext,
): Promise<Redemption> {
  const tokens = await processAuthorizationCodeResponse(context.server.metadata, client, answer.response)
  return { tokens: toTokenSet(tokens, answer, context.endpoints.clock()) }
}

async function validateOpenIdAnswer(
  answer: TokenAnswer,
  grant: CodeGrant,
  context: ProviderContext,
): Promise<Redemption> {
  const { response } = answer
  // Where there is none, the library says what is wrong with the answer.
  const token = answer.idToken === undefined ? null : parseSignedToken(answer.idToken)
  if (token && grant.nonce !== undefined) assertNonce(token, grant.nonce)
  const expected = token ? toExpectedServer(context.provider, context.server, token) : context.server.metadata
  const tokens = await processAuthorizationCodeResponse(expected, grant.client, response, {
    requireIdToken: true,
    ...(grant.nonce !== undefined && { expectedNonce: grant.nonce }),
  })
  const claims = getValidatedIdTokenClaims(tokens)
  if (!token || !claims) throw new ProviderError("The token endpoint answered no ID token", { code: "no-id-token" })
  await verifyIdToken({ token, claims, accessToken: tokens.access_token }, context)
  return { tokens: toTokenSet(tokens, answer, context.endpoints.clock()), claims }
}

interface CodeGrant {
  /** Validated parameters of the authorization response. */
  readonly parameters: URLSearchParams
  readonly client: Client
  readonly redirectUri: string
  readonly codeVerifier?: string | undefined
  readonly nonce?: string | undefined
}

/**
 * Sends the code to the token endpoint, RFC 6749 section 4.1.3, or lets the provider's `token.request` send what the
 * endpoint wants instead.
 */
function requestTokens(
  grant: CodeGrant,
  { provider, server }: Pick<ProviderContext, "provider" | "server">,
): Promise<Response> {
  return authorizationCodeGrantRequest(
    server.metadata,
    grant.client,
    getClientAuthentication(provider),
    grant.parameters,
    grant.redirectUri,
    grant.codeVerifier ?? nopkce,
    { ...toTokenCall(grant, provider), additionalParameters: toTextParameters(provider.token.params) },
  )
}

function toTokenCall({ parameters }: CodeGrant, provider: ProviderContext["provider"]): ProtocolCallOptions {
  const fetch = createProviderFetch(provider, "token")
  const call = toCallOptions(fetch)
  const request = provider.token.request
  if (!request) return call
  return {
    ...call,
    [callWith]: async (url, init) => {
      const { headers, body }: RequestInit = init
      return request({
        url,
        headers: new Headers(headers),
        // The library sends a form.
        params: new URLSearchParams(String(body)),
        callback: new URLSearchParams(parameters),
        provider: { ...provider, fetch },
      })
    },
  }
}

/** A token answer, ready for the protocol library. */
interface TokenAnswer {
  readonly response: Response
  /** Of an OpenID Connect provider, unverified. */
  readonly idToken?: string
  /** What came with an answer that needs none, unverified. */
  readonly strayIdToken?: string
}

/**
 * Lets the provider's `conform` repair an answer, then brings what providers do differently (nulls, a lifetime as text,
 * an error with status 200) to the form of RFC 6749 section 5.
 * @throws ProviderError
 */
async function parseTokenAnswer(provider: ResolvedOAuthProvider, answered: Response): Promise<TokenAnswer> {
  const response = (await provider.token.conform?.(answered.clone())) ?? answered
  if (response.status !== 200) return { response }
  const answer = parseJson(await response.text())
  if (!isObject(answer)) throw refusal("not-json", "The token endpoint did not answer a JSON object")
  assertNoError(answer)
  const fields = toFields(answer)
  const { id_token: idToken, ...asked } = fields
  const hasIdToken = typeof idToken === "string"
  if (provider.type === "oidc") return { response: Response.json(fields), ...(hasIdToken && { idToken }) }
  // Nobody asked for an ID token here, so that none is judged: who this is comes from the userinfo endpoint.
  return { response: Response.json(asked), ...(hasIdToken && { strayIdToken: idToken }) }
}

/** The token set of a validated answer. */
function toTokenSet(answer: TokenEndpointResponse, { strayIdToken }: TokenAnswer, nowMs: number): TokenSet {
  const { token_type, expires_in, ...fields } = answer
  if (token_type !== "bearer") throw refusal("token-type", "The token endpoint answered no bearer token")
  return {
    ...fields,
    ...(strayIdToken !== undefined && { id_token: strayIdToken }),
    token_type,
    ...(expires_in !== undefined && { expires_in, expires_at: Math.floor(nowMs / 1000) + Math.floor(expires_in) }),
  }
}

function assertNoError({ error }: JsonAnswer): void {
  if (typeof error !== "string" || error === "") return
  throw new ProviderError("The token endpoint answered an error", {
    code: "token-error",
    endpoint: "token",
    status: 200,
    error: toLogCode(error),
  })
}

const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

function toFields(answer: JsonAnswer): JsonAnswer {
  const fields = Object.entries(answer).filter(([name, value]) => value !== null && !prototypeKeys.has(name))
  const { expires_at, ...others } = Object.fromEntries(fields)
  const copy: JsonAnswer = Number.isSafeInteger(expires_at) ? { ...others, expires_at } : others
  return copy["expires_in"] === undefined ? copy : { ...copy, expires_in: parseLifetime(copy["expires_in"]) }
}

/** Seconds; some providers send them as text. */
function parseLifetime(value: unknown): number {
  const seconds = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof seconds === "number" && seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER) return seconds
  throw refusal("lifetime", "The token endpoint answered a lifetime that is no number of seconds")
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code, endpoint: "token", status: 200 })
}
