import { type Client, processUserInfoResponse, skipSubjectCheck } from "oauth4webapi"
import { toExpectedServer } from "./id-token.js"
import type { JsonAnswer } from "./json-object.js"
import type { ProviderContext } from "./provider-context.js"
import { ProviderError } from "./provider-error.js"
import { parseSignedToken } from "./signed-token.js"
import { verifySignature } from "./verify-signature.js"

export interface JwtContext extends Omit<ProviderContext, "server"> {
  readonly client: Client
}

const requiredClaims = ["iss", "aud", "exp"] as const

/**
 * Claims of a JWT that a provider issued for this client: signature, issuer, audience and lifetime are verified, RFC
 * 7519 section 4.1. For providers whose access token says who signed in.
 * @throws ProviderError, or an error of the protocol library.
 */
export async function verifyJwt(text: string, { provider, endpoints, client }: JwtContext): Promise<JsonAnswer> {
  const token = parseSignedToken(text)
  const missing = requiredClaims.find((claim) => token.claims[claim] === undefined)
  if (missing !== undefined) throw new ProviderError(`The token has no "${missing}"`, { code: "claim-missing" })
  const server = await endpoints.resolve(provider, ["jwks"])
  const expected = toExpectedServer(provider, server, token)
  // The library verifies such a token as a signed userinfo answer, whose rules are those of any signed claims.
  const response = new Response(text, { headers: { "content-type": "application/jwt" } })
  const algorithms = expected.id_token_signing_alg_values_supported ?? []
  const issuer = { ...expected, userinfo_signing_alg_values_supported: algorithms }
  const { userinfo_signed_response_alg: _, ...anyAlgorithm } = client
  const claims = await processUserInfoResponse(issuer, anyAlgorithm, skipSubjectCheck, response)
  await verifySignature(token, { provider, endpoints, server })
  return { ...claims }
}
