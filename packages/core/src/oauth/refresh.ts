import {
  customFetch as callWith,
  getValidatedIdTokenClaims,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
} from "oauth4webapi"
import { systemClock } from "../runtime/promise.js"
import type { RevocationEndpoint } from "../types/oauth-provider.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { TokenSet } from "../types/user.js"
import { getClientAuthentication, toClient, toTextParameters } from "./client.js"
import { findRevocation, type ProviderContext } from "./endpoints.js"
import { refusalsOf } from "./errors.js"
import { assertSecureUrl, createProviderFetch, parseEndpoint, toCallOptions } from "./fetch.js"
import { toExpectedServer, verifyIdToken } from "./id-token.js"
import { fetchUnknownKey, isSecretAlgorithm, parseSignedToken } from "./jws.js"
import { joinRefreshToken, splitRefreshToken } from "./kept-parameters.js"
import { conform, parseTokenAnswer, toHookCall, toTokenCall, toTokenSet } from "./token.js"

interface RefreshGrant {
  /** As `selectKept` returned it. */
  readonly refreshToken: string
  /** The `sub` of the first ID token. Undefined if there was none: a new one is then dropped. */
  readonly subject: string | undefined
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

/**
 * Uses a refresh token, once, RFC 6749 section 6. A new ID token is verified like the first one, and has to name the same
 * user, OpenID Connect Core 1.0 section 12.2.
 * @returns the new tokens; those that the provider left out are missing
 * @throws ProviderError, or an error of the protocol library
 */
export async function refreshTokens(
  { refreshToken: stored, subject, signal }: RefreshGrant,
  context: ProviderContext,
): Promise<TokenSet> {
  const { refreshToken, kept } = splitRefreshToken(stored)
  const sent = await sendRefresh({ refreshToken, kept, signal }, context)
  const { refresh_token, ...tokens } = await validateAnswer(sent, { refreshToken, subject }, context)
  return { ...tokens, ...(refresh_token !== undefined && { refresh_token: joinRefreshToken(refresh_token, kept) }) }
}

interface SentRefresh {
  readonly refreshToken: string
  readonly kept: URLSearchParams
  readonly signal: AbortSignal | undefined
}

function sendRefresh(
  { refreshToken, kept, signal }: SentRefresh,
  { provider, server, endpoints }: ProviderContext,
): Promise<Response> {
  const client = toClient(provider, endpoints.clock)
  const authentication = getClientAuthentication(provider)
  const call = toTokenCall(provider, kept, signal)
  return refreshTokenGrantRequest(server.metadata, client, authentication, refreshToken, call)
}

async function validateAnswer(
  sent: Response,
  { refreshToken, subject }: RefreshGrant,
  context: ProviderContext,
): Promise<TokenSet> {
  const { provider, server, endpoints } = context
  const client = toClient(provider, endpoints.clock)
  const response = await conform(provider, sent)
  const answer = await parseTokenAnswer(provider, response, [provider.clientSecret, refreshToken])
  if (answer.idToken === undefined) {
    const tokens = await processRefreshTokenResponse(server.metadata, client, answer.response)
    return toTokenSet(tokens, answer, endpoints.clock())
  }
  const token = parseSignedToken(answer.idToken)
  const expected = toExpectedServer(provider, server, token)
  const tokens = await processRefreshTokenResponse(expected, client, answer.response)
  const claims = getValidatedIdTokenClaims(tokens)
  if (!claims) throw refusal("subject", "The ID token has no claims")
  if (!isSecretAlgorithm(String(token.header["alg"]))) await fetchUnknownKey(token, context)
  await verifyIdToken({ token, claims, accessToken: tokens.access_token }, context)
  const { id_token, ...others } = toTokenSet(tokens, answer, endpoints.clock())
  if (subject === undefined) return others
  if (claims.sub !== subject) throw refusal("subject", "The new ID token names another user than the first one")
  return { ...others, ...(id_token !== undefined && { id_token }) }
}

const refusal = refusalsOf({ endpoint: "token", status: 200 })

/** A token to revoke, and what it is. */
interface RevokedToken {
  readonly token: string
  readonly kind: "refresh_token" | "access_token"
}

/**
 * Revokes a token at its provider, RFC 7009. With a refresh token, the provider revokes the access tokens of its grant too.
 * @returns false if the provider has no endpoint for it
 * @throws ProviderError, or an error of the protocol library
 */
export async function revokeToken({ token, kind }: RevokedToken, provider: ResolvedOAuthProvider): Promise<boolean> {
  const { url, params, request } = toRevocation(provider)
  const address = url === undefined ? await findRevocation(provider, systemClock) : String(url)
  if (address === undefined) return false
  assertSecureUrl(parseEndpoint(address, "revocation"), { endpoint: "revocation", ...provider.advanced })
  const server = { issuer: provider.issuer ?? address, revocation_endpoint: address }
  const client = toClient(provider, systemClock)
  const fetch = createProviderFetch(provider, "revocation")
  const { refreshToken: revoked, kept: callback } = splitRefreshToken(token)
  const response = await revocationRequest(server, client, getClientAuthentication(provider), revoked, {
    ...toCallOptions(provider, "revocation"),
    ...(request && { [callWith]: toHookCall(request, { callback, provider: { ...provider, fetch } }) }),
    additionalParameters: { token_type_hint: kind, ...toTextParameters(params) },
  })
  await processRevocationResponse(response)
  return true
}

function toRevocation({ revocation = {} }: ResolvedOAuthProvider): RevocationEndpoint {
  return typeof revocation === "string" ? { url: revocation } : revocation
}
