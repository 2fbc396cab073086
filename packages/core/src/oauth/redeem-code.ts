import { getValidatedIdTokenClaims, type IDToken, processAuthorizationCodeResponse } from "oauth4webapi"
import type { TokenSet } from "../contract/account.js"
import { assertNonce, toExpectedServer, verifyIdToken } from "./id-token.js"
import type { ProviderContext } from "./provider-context.js"
import { ProviderError } from "./provider-error.js"
import { type CodeGrant, requestTokens } from "./request-tokens.js"
import { parseSignedToken } from "./signed-token.js"
import { parseTokenAnswer, type TokenAnswer, toTokenSet } from "./token-answer.js"

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
