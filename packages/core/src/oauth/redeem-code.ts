import {
  authorizationCodeGrantRequest,
  type Client,
  getValidatedIdTokenClaims,
  type IDToken,
  nopkce,
  processAuthorizationCodeResponse,
} from "oauth4webapi"
import type { TokenSet } from "../contract/account.js"
import { getClientAuthentication } from "./client.js"
import { type IdTokenContext, toExpectedServer, verifyIdToken } from "./id-token.js"
import { ProviderError } from "./provider-error.js"
import { createProviderFetch, toCallOptions } from "./provider-fetch.js"
import { parseSignedToken, type UnverifiedToken } from "./signed-token.js"
import { toTextParameters } from "./text-parameters.js"
import { parseTokenAnswer, type TokenAnswer, toTokenSet } from "./token-answer.js"

export interface CodeGrant {
  /** Validated parameters of the authorization response. */
  readonly parameters: URLSearchParams
  readonly client: Client
  readonly redirectUri: string
  readonly codeVerifier?: string | undefined
  readonly nonce?: string | undefined
}

export interface Redemption {
  readonly tokens: TokenSet
  /** Claims of the verified ID token; undefined for plain OAuth 2.0. */
  readonly claims?: IDToken
}

/**
 * Exchanges a code for tokens, RFC 6749 section 4.1.3, once, and verifies the ID token of an OpenID Connect provider.
 * @throws ProviderError, or an error of the protocol library.
 */
export async function redeemCode(grant: CodeGrant, context: IdTokenContext): Promise<Redemption> {
  const { provider, server } = context
  const answered = await authorizationCodeGrantRequest(
    server.metadata,
    grant.client,
    getClientAuthentication(provider),
    grant.parameters,
    grant.redirectUri,
    grant.codeVerifier ?? nopkce,
    {
      ...toCallOptions(createProviderFetch(provider, "token")),
      additionalParameters: toTextParameters(provider.token.params),
    },
  )
  const answer = await parseTokenAnswer(provider, answered)
  return provider.type === "oidc"
    ? validateOpenIdAnswer(answer, grant, context)
    : validateAnswer(answer, grant, context)
}

async function validateAnswer(
  answer: TokenAnswer,
  { client }: CodeGrant,
  context: IdTokenContext,
): Promise<Redemption> {
  const tokens = await processAuthorizationCodeResponse(context.server.metadata, client, answer.response)
  return { tokens: toTokenSet(tokens, answer, context.endpoints.clock()) }
}

async function validateOpenIdAnswer(
  answer: TokenAnswer,
  grant: CodeGrant,
  context: IdTokenContext,
): Promise<Redemption> {
  const { response } = answer
  const token = await peekIdToken(response)
  const expected = token ? toExpectedServer(context.provider, context.server, token) : context.server.metadata
  const tokens = await processAuthorizationCodeResponse(expected, grant.client, response, {
    requireIdToken: true,
    ...(grant.nonce !== undefined && { expectedNonce: grant.nonce }),
  })
  const claims = getValidatedIdTokenClaims(tokens)
  if (!token || !claims) throw new ProviderError("The token endpoint answered no ID token", { code: "no-id-token" })
  await verifyIdToken({ token, response, claims, accessToken: tokens.access_token }, context)
  return { tokens: toTokenSet(tokens, answer, context.endpoints.clock()), claims }
}

/** Null where the library will say what is wrong with the answer. */
async function peekIdToken(response: Response): Promise<UnverifiedToken | null> {
  if (response.status !== 200) return null
  const answer: unknown = await response.clone().json()
  if (typeof answer !== "object" || answer === null || !("id_token" in answer)) return null
  return typeof answer.id_token === "string" ? parseSignedToken(answer.id_token) : null
}
