import { jwksCache, skipStateCheck, validateJwtAuthResponse } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { type ResponseExpectation, toCallbackError } from "./authorization-response.js"
import type { ProviderEndpoints } from "./endpoints.js"
import { findAlgorithms, getExpectedIssuer } from "./expected-signer.js"
import { toLogText } from "./log-text.js"
import { ProviderError } from "./provider-error.js"
import { parseSignedToken, type UnverifiedToken } from "./signed-token.js"
import { findKeys } from "./verify-signature.js"

/**
 * What the provider answered, as far as it is known before a signature is verified: of a signed answer its claims,
 * which tell the flow that it belongs to. Empty where the answer is not signed though it should be.
 */
export function readUnverified(parameters: URLSearchParams, { isJwtResponse }: ResolvedOAuthProvider): URLSearchParams {
  if (!isJwtResponse) return parameters
  try {
    const { claims } = parseAnswer(parameters)
    const texts = Object.entries(claims).filter((claim): claim is [string, string] => typeof claim[1] === "string")
    return new URLSearchParams(texts)
  } catch {
    // What is wrong with it is said where it is verified.
    return new URLSearchParams()
  }
}

export interface JwtExpectation extends ResponseExpectation {
  readonly endpoints: ProviderEndpoints
}

/**
 * The parameters of an authorization response in a signed token, JARM section 2.4: of this issuer, for this app, not
 * expired, by one of the provider's keys. Its state was compared before.
 * @throws ProviderError, an error of the protocol library, or OAuthCallbackError when the provider answered an error.
 */
export async function validateJwtResponse(
  parameters: URLSearchParams,
  expectation: JwtExpectation,
): Promise<URLSearchParams> {
  const { provider, server, client } = expectation
  const token = parseAnswer(parameters)
  const metadata = {
    ...server.metadata,
    issuer: getExpectedIssuer(provider, server, token.claims),
    authorization_signing_alg_values_supported: [...getAlgorithms(token, expectation)],
  }
  // The library asks for keys itself when they are old. They are looked for here, and these never age.
  const options = { [jwksCache]: { jwks: await findKeys(token, expectation), uat: Number.MAX_SAFE_INTEGER } }
  try {
    return await validateJwtAuthResponse(metadata, client, parameters, skipStateCheck, options)
  } catch (error) {
    throw toCallbackError(error, provider.id)
  }
}

/** Before anything is fetched: a key is looked for only where it could be the right one. */
function getAlgorithms({ header }: UnverifiedToken, { provider, server }: JwtExpectation): readonly string[] {
  const algorithms = findAlgorithms({
    path: `providers.${provider.id}.client.authorization_signed_response_alg`,
    registered: provider.client?.authorization_signed_response_alg,
    announced: server.metadata.authorization_signing_alg_values_supported,
    isSecretAllowed: false,
  })
  const used = String(header["alg"])
  if (algorithms.includes(used)) return algorithms
  throw refusal("algorithm", `The answer is signed with "${toLogText(used, 20)}" (expected ${algorithms.join(" or ")})`)
}

/** What only a signed answer may say. */
const signedAlone = ["code", "error", "access_token", "id_token", "token"]

function parseAnswer(parameters: URLSearchParams): UnverifiedToken {
  const [answer, ...others] = parameters.getAll("response")
  if (answer === undefined || others.length > 0)
    throw refusal("not-signed", "The callback does not hold one signed answer")
  const stray = signedAlone.find((name) => parameters.has(name))
  if (stray !== undefined) throw refusal("not-signed", `The callback holds "${stray}" beside its signed answer`)
  return parseSignedToken(answer)
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code, endpoint: "authorization" })
}
