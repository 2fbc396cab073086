import {
  AuthorizationResponseError,
  type Client,
  jwksCache,
  skipStateCheck,
  validateAuthResponse,
  validateJwtAuthResponse,
} from "oauth4webapi"
import type { ExpectedFlow } from "../checks/oauth-flow.js"
import { CallbackRouteError, InvalidCheck, OAuthCallbackError, OAuthProfileParseError } from "../errors/errors.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { toClient } from "./client.js"
import type { NamedEndpoint, ProviderEndpoints, ProviderServer } from "./endpoints.js"
import { ProviderError, toLogCode, toLogText, toSafeError } from "./errors.js"
import { type OAuthIdentity, toIdentity, withUserField } from "./identity.js"
import { findAlgorithms, findKeys, getExpectedIssuer, parseSignedToken, type UnverifiedToken } from "./jws.js"
import { redeemCode } from "./token.js"
import { findProfile } from "./userinfo.js"

export interface AuthorizationCompletion {
  readonly provider: ResolvedOAuthProvider
  /** The one that the authorization request named. */
  readonly redirectUri: string
  /** The callback's query, or its form with `response_mode=form_post`. */
  readonly parameters: URLSearchParams
  readonly expected: ExpectedFlow
  /** The form's `user` field. */
  readonly userField?: unknown
}

/**
 * The second half of an OAuth 2.0 or OpenID Connect sign-in: from the callback's parameters to who signed in.
 * @throws InvalidCheck when state does not fit, or the cookie of a check is missing; nobody was asked then.
 * @throws OAuthCallbackError when the provider answered an error.
 * @throws OAuthProfileParseError when the profile has no id or does not become a user.
 * @throws CallbackRouteError for everything else; `cause` holds the error, free of secrets, and the provider's id.
 */
export async function completeAuthorization(
  completion: AuthorizationCompletion,
  endpoints: ProviderEndpoints,
): Promise<OAuthIdentity> {
  try {
    assertExpected(completion)
    const answer = readUnverified(completion.parameters, completion.provider)
    assertState(completion.provider, answer, completion.expected.state)
    const parameters = await conformResponse(completion.provider, completion.parameters)
    assertCodeResponse(completion.provider.isJwtResponse ? answer : parameters)
    return await identify({ ...completion, parameters }, endpoints)
  } catch (error) {
    if (isFinal(error)) throw error
    const err = toSafeError(error)
    const about = err instanceof ProviderError && err.isAboutToken ? { concerns: "token" } : {}
    throw new CallbackRouteError({ err, provider: completion.provider.id, ...about })
  }
}

async function identify(
  { provider, parameters, redirectUri, expected, userField }: AuthorizationCompletion,
  endpoints: ProviderEndpoints,
): Promise<OAuthIdentity> {
  const server = await endpoints.resolve(provider, neededEndpoints(provider))
  const client = toClient(provider, endpoints.clock)
  const context = { provider, server, endpoints }
  const judged = provider.isJwtResponse
    ? await validateJwtResponse(parameters, { ...context, client })
    : validateCodeResponse(parameters, { provider, server, client })
  const { codeVerifier, nonce } = expected
  const redemption = await redeemCode({ parameters: judged, client, redirectUri, codeVerifier, nonce }, context)
  const profile = await findProfile(redemption, { ...context, client, callback: judged })
  return toIdentity(provider, provider.isFormPost ? withUserField(profile, userField) : profile, redemption.tokens)
}

/** A check that was to be made is never skipped because its cookie is gone. */
function assertExpected({ provider, expected }: AuthorizationCompletion): void {
  const values = { pkce: expected.codeVerifier, state: expected.state, nonce: expected.nonce }
  for (const check of provider.checks) {
    if (check === "none" || values[check]) continue
    throw new InvalidCheck(`The ${check} of this flow is gone`, { provider: provider.id })
  }
}

function neededEndpoints(provider: ResolvedOAuthProvider): readonly NamedEndpoint[] {
  const isSignedWithSecret = provider.client?.id_token_signed_response_alg?.startsWith("HS") === true
  const needsKeys = provider.isJwtResponse || (provider.type === "oidc" && !isSignedWithSecret)
  const needsUserinfo = !provider.idToken && !provider.userinfo.request
  return ["token", ...(needsKeys ? (["jwks"] as const) : []), ...(needsUserinfo ? (["userinfo"] as const) : [])]
}

function isFinal(error: unknown): boolean {
  return error instanceof InvalidCheck || error instanceof OAuthCallbackError || error instanceof OAuthProfileParseError
}

const single = ["code", "state", "iss", "error", "error_description", "error_uri", "response"]
const foreign = ["access_token", "id_token", "token", "response"]

/**
 * Compares the state before anything else of the response is believed or any provider is asked.
 * @throws InvalidCheck
 */
function assertState(provider: ResolvedOAuthProvider, parameters: URLSearchParams, expected?: string): void {
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
async function conformResponse(provider: ResolvedOAuthProvider, parameters: URLSearchParams): Promise<URLSearchParams> {
  if (provider.isJwtResponse) return parameters
  const repaired = await provider.authorization.conform?.({ parameters: new URLSearchParams(parameters), provider })
  return repaired ?? parameters
}

/**
 * Refuses what a code response never holds: a parameter twice (RFC 6749 section 3.1), tokens (RFC 9700 section 2.1.2),
 * or an answer packed into a token.
 * @throws ProviderError
 */
function assertCodeResponse(parameters: URLSearchParams): void {
  const twice = single.find((name) => parameters.getAll(name).length > 1)
  if (twice !== undefined) throw invalidResponse(`The callback holds "${twice}" more than once`)
  const stray = foreign.find((name) => parameters.has(name))
  if (stray !== undefined)
    throw invalidResponse(`The callback holds "${stray}", which does not belong to the code flow`)
}

interface ResponseExpectation {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly client: Client
}

/**
 * The parameters of an authorization response whose state was compared, RFC 6749 section 4.1.2, with the issuer
 * compared where it is told, RFC 9207.
 * @throws OAuthCallbackError when the provider answered an error.
 */
function validateCodeResponse(parameters: URLSearchParams, expectation: ResponseExpectation): URLSearchParams {
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
function toCallbackError(failure: unknown, provider: string): unknown {
  if (!(failure instanceof AuthorizationResponseError)) return failure
  const { error, error_description } = failure
  const code = toLogCode(error)
  return new OAuthCallbackError(`The provider answered "${code}"`, {
    provider,
    error: code,
    ...(error_description !== undefined && { error_description: toLogText(error_description) }),
  })
}

function invalidResponse(message: string): ProviderError {
  return new ProviderError(message, { code: "authorization-response", endpoint: "authorization" })
}

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

interface JwtExpectation extends ResponseExpectation {
  readonly endpoints: ProviderEndpoints
}

/**
 * The parameters of an authorization response in a signed token, JARM section 2.4: of this issuer, for this app, not
 * expired, by one of the provider's keys. Its state was compared before.
 * @throws ProviderError, an error of the protocol library, or OAuthCallbackError when the provider answered an error.
 */
async function validateJwtResponse(parameters: URLSearchParams, expectation: JwtExpectation): Promise<URLSearchParams> {
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
