import { AuthorizationResponseError, type Client, skipStateCheck, validateAuthResponse } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { InvalidCheck } from "../errors/flow.js"
import { OAuthCallbackError } from "../errors/sign-in.js"
import type { ProviderServer } from "./endpoints.js"
import { toLogCode, toLogText } from "./log-text.js"
import { ProviderError } from "./provider-error.js"

const single = ["code", "state", "iss", "error", "error_description", "error_uri", "response"]
const foreign = ["access_token", "id_token", "token", "response"]

/**
 * Compares the state before anything else of the response is believed or any provider is asked.
 * @throws InvalidCheck
 */
export function assertState(provider: ResolvedOAuthProvider, parameters: URLSearchParams, expected?: string): void {
  if (expected === undefined) return
  const states = parameters.getAll("state")
  if (states.length === 1 && states[0] === expected) return
  const fault = states.length === 0 ? "missing" : "wrong"
  throw new InvalidCheck(`The state of the callback is ${fault}`, { provider: provider.id })
}

/**
 * The callback's parameters as the provider's `authorization.conform` repairs them.
 * @throws what the hook throws.
 */
export async function conformResponse(
  provider: ResolvedOAuthProvider,
  parameters: URLSearchParams,
): Promise<URLSearchParams> {
  if (provider.isJwtResponse) return parameters
  const repaired = await provider.authorization.conform?.({ parameters: new URLSearchParams(parameters), provider })
  return repaired ?? parameters
}

/**
 * Refuses what a code response never holds: a parameter twice (RFC 6749 section 3.1), tokens (RFC 9700 section 2.1.2),
 * or an answer packed into a token.
 * @throws ProviderError
 */
export function assertCodeResponse(parameters: URLSearchParams): void {
  const twice = single.find((name) => parameters.getAll(name).length > 1)
  if (twice !== undefined) throw refusal(`The callback holds "${twice}" more than once`)
  const stray = foreign.find((name) => parameters.has(name))
  if (stray !== undefined) throw refusal(`The callback holds "${stray}", which does not belong to the code flow`)
}

export interface ResponseExpectation {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly client: Client
}

/**
 * The parameters of an authorization response whose state was compared, RFC 6749 section 4.1.2, with the issuer
 * compared where it is told, RFC 9207.
 * @throws OAuthCallbackError when the provider answered an error.
 */
export function validateCodeResponse(parameters: URLSearchParams, expectation: ResponseExpectation): URLSearchParams {
  const { server, client, provider } = expectation
  const judged = new URLSearchParams(parameters)
  if (isIssuerSettled(judged.get("iss"), expectation)) judged.delete("iss")
  try {
    return validateAuthResponse(toMetadata(server, parameters), client, judged, skipStateCheck)
  } catch (error) {
    throw toCallbackError(error, provider.id)
  }
}

/** Whether the library has nothing to compare: nobody knows the issuer, or the provider's own hook knows this one. */
function isIssuerSettled(issuer: string | null, { provider, server }: ResponseExpectation): boolean {
  if (!server.hasIssuer) return true
  return issuer !== null && issuer !== server.metadata.issuer && provider.isIssuer?.(issuer, {}) === true
}

/**
 * The library asks for a promised `iss`. It must not miss one that was settled before, nor hide the provider's error
 * behind its absence: several providers send it with codes only.
 */
function toMetadata({ metadata, hasIssuer }: ProviderServer, parameters: URLSearchParams): ProviderServer["metadata"] {
  const isRequired = hasIssuer && !parameters.get("iss") && !parameters.has("error")
  return isRequired ? metadata : { ...metadata, authorization_response_iss_parameter_supported: false }
}

/** An error that the provider answered, as one of ours; every other one as it is. */
export function toCallbackError(failure: unknown, provider: string): unknown {
  if (!(failure instanceof AuthorizationResponseError)) return failure
  const { error, error_description } = failure
  const code = toLogCode(error)
  return new OAuthCallbackError(`The provider answered "${code}"`, {
    provider,
    error: code,
    ...(error_description !== undefined && { error_description: toLogText(error_description) }),
  })
}

function refusal(message: string): ProviderError {
  return new ProviderError(message, { code: "authorization-response", endpoint: "authorization" })
}
