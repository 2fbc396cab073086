import { AuthorizationResponseError, type Client, skipStateCheck, validateAuthResponse } from "oauth4webapi"
import type { ExpectedFlow } from "../checks/oauth-flow.js"
import { CallbackRouteError, InvalidCheck, OAuthCallbackError, OAuthProfileParseError } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { andThen, isPromiseLike } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { type Attempt, adviseOnError, explain, findDenial, findProviderReason } from "./advice.js"
import { toClient, toleranceOf } from "./client.js"
import type { NamedEndpoint, ProviderContext, ProviderEndpoints, ProviderServer } from "./endpoints.js"
import { ProviderError, refusalsOf, toLogCode, toLogDescription, toLogText, toSafeError } from "./errors.js"
import {
  findAlgorithms,
  getExpectedIssuer,
  isForClient,
  parseSignedToken,
  type UnverifiedToken,
  verifySignature,
} from "./jws.js"
import { redeemCode } from "./token.js"
import { findProfile, type OAuthIdentity, toIdentity, withUserField } from "./userinfo.js"

export interface AuthorizationCompletion {
  readonly provider: ResolvedOAuthProvider
  /** The one of the authorization request. */
  readonly redirectUri: string
  /** The callback's query, or its form with `response_mode=form_post`. */
  readonly parameters: URLSearchParams
  readonly expected: ExpectedFlow
  /** The form's `user` field. */
  readonly userField?: unknown
}

/**
 * The second half of an OAuth 2.0 or OpenID Connect sign-in: turns the callback's parameters into a user and account.
 * Everything the provider sends is verified, in this order: state, response, tokens, profile.
 * @throws InvalidCheck when the state is wrong, or the value of another check is missing; before any request
 * @throws OAuthCallbackError when the provider answered with an error
 * @throws OAuthProfileParseError when the profile has no id or cannot be converted to a user
 * @throws CallbackRouteError for anything else; `cause` has the error, free of secrets, and the provider's id
 */
export async function completeAuthorization(
  completion: AuthorizationCompletion,
  endpoints: ProviderEndpoints,
): Promise<OAuthIdentity> {
  const { provider, redirectUri, expected } = completion
  try {
    assertExpected(provider, expected)
    const unverified = readUnverified(completion.parameters, provider)
    assertState(provider, unverified, expected.state)
    const conforming = conformResponse(provider, completion.parameters)
    const parameters = isPromiseLike(conforming) ? await conforming : conforming
    assertCodeResponse(provider.isJwtResponse ? unverified : parameters)
    return await identify({ ...completion, parameters }, endpoints)
  } catch (error) {
    if (isFinal(error)) throw error
    const err = toSafeError(error)
    const about = err instanceof ProviderError && err.isAboutToken ? { concerns: "token" } : {}
    throw new CallbackRouteError(explain(err, { provider, redirectUri }), {
      err,
      provider: provider.id,
      ...about,
      ...findProviderReason(err),
    })
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof InvalidCheck || error instanceof OAuthCallbackError || error instanceof OAuthProfileParseError
}

async function identify(
  { provider, parameters, redirectUri, expected, userField }: AuthorizationCompletion,
  endpoints: ProviderEndpoints,
): Promise<OAuthIdentity> {
  const resolving = endpoints.resolve(provider, neededEndpoints(provider))
  const server = isPromiseLike(resolving) ? await resolving : resolving
  const client = toClient(provider, endpoints.clock)
  const context = { provider, server, endpoints, client, redirectUri }
  const callback = provider.isJwtResponse
    ? await validateJwtResponse(parameters, context)
    : validateCodeResponse(parameters, context)
  const { codeVerifier, nonce } = expected
  const redemption = await redeemCode({ parameters: callback, client, redirectUri, codeVerifier, nonce }, context)
  const finding = findProfile(redemption, { ...context, callback })
  const profile = isPromiseLike(finding) ? await finding : finding
  return toIdentity(provider, provider.isFormPost ? withUserField(profile, userField) : profile, redemption.tokens)
}

function neededEndpoints(provider: ResolvedOAuthProvider): readonly NamedEndpoint[] {
  const isSignedWithSecret = provider.client?.id_token_signed_response_alg?.startsWith("HS") === true
  const needsKeys = provider.isJwtResponse || (provider.type === "oidc" && !isSignedWithSecret)
  const needsUserinfo = !provider.idToken && !provider.userinfo.request
  return ["token", ...(needsKeys ? (["jwks"] as const) : []), ...(needsUserinfo ? (["userinfo"] as const) : [])]
}

/** A configured check is never skipped because its cookie is gone. */
function assertExpected(provider: ResolvedOAuthProvider, { codeVerifier, state, nonce }: ExpectedFlow): void {
  const values = { pkce: codeVerifier, state, nonce }
  for (const check of provider.checks) {
    if (check === "none" || values[check]) continue
    const reason = because(check === "state" ? "state-missing" : "pkce-missing", { check })
    throw new InvalidCheck(`The ${check} of this flow is missing`, { provider: provider.id, ...reason })
  }
}

/**
 * The parameters of the response before any signature is verified: for a signed response its claims, which identify the
 * flow. Empty if the response must be signed but is not.
 */
export function readUnverified(parameters: URLSearchParams, { isJwtResponse }: ResolvedOAuthProvider): URLSearchParams {
  if (!isJwtResponse) return parameters
  try {
    return toParameters(parseJwtResponse(parameters))
  } catch {
    return new URLSearchParams() // `validateJwtResponse` reports what is wrong.
  }
}

/** The parameters in a signed response: its claims that are text. */
function toParameters({ claims }: UnverifiedToken): URLSearchParams {
  return new URLSearchParams(
    Object.entries(claims).filter((claim): claim is [string, string] => typeof claim[1] === "string"),
  )
}

/** Compares the state before anything else in the response is used or any request is sent. */
function assertState(provider: ResolvedOAuthProvider, parameters: URLSearchParams, expected?: string): void {
  if (expected === undefined) return
  const states = parameters.getAll("state")
  if (states.length === 1 && states[0] === expected) return
  const fault = states.length === 0 ? "missing" : "wrong"
  const reason = because(states.length === 0 ? "state-missing" : "state-altered")
  throw new InvalidCheck(`The state of the callback is ${fault}`, { provider: provider.id, ...reason })
}

/** Lets the provider's `authorization.conform` hook fix the parameters. Throws what the hook throws. */
function conformResponse(provider: ResolvedOAuthProvider, parameters: URLSearchParams): Awaitable<URLSearchParams> {
  if (provider.isJwtResponse || !provider.authorization.conform) return parameters
  const fixing = provider.authorization.conform({ parameters: new URLSearchParams(parameters), provider })
  return andThen(fixing, (fixed) => fixed ?? parameters)
}

/** Parameters that a response may have once. */
const singleParameters = ["code", "state", "iss", "error", "error_description", "error_uri", "response"]
/** Parameters of other flows. */
const foreignParameters = ["access_token", "id_token", "token", "response"]

/**
 * Rejects what a code response never has: repeated parameters (RFC 6749 section 3.1), tokens (RFC 9700 section 2.1.2),
 * or a response packed into a token.
 */
function assertCodeResponse(parameters: URLSearchParams): void {
  const repeated = singleParameters.find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) throw refusal("authorization-response", `The callback has "${repeated}" more than once`)
  const stray = foreignParameters.find((name) => parameters.has(name))
  if (stray !== undefined)
    throw refusal("authorization-response", `The callback has "${stray}", which does not belong to the code flow`)
}

interface ResponseContext extends ProviderContext, Attempt {
  readonly client: Client
}

/**
 * Validates an authorization response, RFC 6749 section 4.1.2, and its issuer, RFC 9207. The state was compared before.
 * @throws OAuthCallbackError when the provider answered with an error
 */
function validateCodeResponse(parameters: URLSearchParams, context: ResponseContext): URLSearchParams {
  let response = parameters
  if (parameters.has("iss") && isIssuerSettled(parameters.get("iss"), context)) {
    response = new URLSearchParams(parameters)
    response.delete("iss")
  }
  return validateByLibrary(toMetadata(context.server, parameters), response, context)
}

function validateByLibrary(
  metadata: ProviderServer["metadata"],
  response: URLSearchParams,
  context: ResponseContext,
): URLSearchParams {
  try {
    return validateAuthResponse(metadata, context.client, response, skipStateCheck)
  } catch (error) {
    throw toCallbackError(error, context)
  }
}

/** Whether the library must not compare the issuer: it is unknown, or the provider's own hook accepts this one. */
function isIssuerSettled(issuer: string | null, { provider, server }: ResponseContext): boolean {
  if (!server.hasIssuer) return true
  return issuer !== null && issuer !== server.metadata.issuer && provider.isIssuer?.(issuer, {}) === true
}

/**
 * The library requires an `iss` that the metadata promises. It must not miss one that `isIssuerSettled` removed, nor
 * report its absence instead of the provider's error: several providers send `iss` with codes only.
 */
function toMetadata({ metadata, hasIssuer }: ProviderServer, parameters: URLSearchParams): ProviderServer["metadata"] {
  const isRequired = hasIssuer && !parameters.get("iss") && !parameters.has("error")
  return isRequired ? metadata : { ...metadata, authorization_response_iss_parameter_supported: false }
}

/**
 * Validates an authorization response in a signed token, JARM section 2.4: algorithm, issuer, audience, lifetime and
 * signature, then the response in it. Its state was compared before.
 * @throws ProviderError, an error of the protocol library, or OAuthCallbackError when the provider answered with an error
 */
async function validateJwtResponse(parameters: URLSearchParams, context: ResponseContext): Promise<URLSearchParams> {
  const { provider, server } = context
  const token = parseJwtResponse(parameters)
  assertAlgorithm(token, context)
  const issuer = getExpectedIssuer(provider, server, token.claims)
  if (token.claims["iss"] !== issuer) {
    throw refusal("wrong-issuer", 'The "iss" of the signed response is not the issuer of the provider')
  }
  if (!isForClient(token, provider)) {
    throw refusal("audience", 'The "aud" of the signed response is not the client id')
  }
  assertLifetime(token, context)
  await verifySignature(token, context)
  return validateByLibrary({ ...server.metadata, issuer }, toParameters(token), context)
}

/** Checked before any key is fetched. */
function assertAlgorithm({ header }: UnverifiedToken, { provider, server }: ResponseContext): void {
  const algorithms = findAlgorithms({
    path: `providers.${provider.id}.client.authorization_signed_response_alg`,
    registered: provider.client?.authorization_signed_response_alg,
    announced: server.metadata.authorization_signing_alg_values_supported,
    isSecretAllowed: false,
  })
  const used = String(header["alg"])
  if (algorithms.includes(used)) return
  const expected = algorithms.join(" or ")
  throw refusal("algorithm", `The response is signed with "${toLogText(used, 20)}" (expected ${expected})`)
}

/** JARM section 2.1 requires `exp`; RFC 7519 section 4.1 has the rules of both. */
function assertLifetime({ claims: { exp, nbf } }: UnverifiedToken, { provider, endpoints }: ResponseContext): void {
  const now = endpoints.clock() / 1000
  const tolerance = toleranceOf(provider)
  if (typeof exp !== "number") throw refusal("claim-missing", "The signed response has no expiry")
  if (exp <= now - tolerance) throw refusal("token-age", "The signed response has expired")
  if (nbf === undefined || (typeof nbf === "number" && nbf <= now + tolerance)) return
  throw refusal("token-age", "The signed response is not valid yet")
}

/** Parameters that must only be inside the signed response. */
const signedOnly = ["code", "error", "access_token", "id_token", "token"]

function parseJwtResponse(parameters: URLSearchParams): UnverifiedToken {
  const [response, ...others] = parameters.getAll("response")
  if (response === undefined || others.length > 0)
    throw refusal("not-signed", "The callback does not have exactly one signed response")
  const stray = signedOnly.find((name) => parameters.has(name))
  if (stray !== undefined) throw refusal("not-signed", `The callback has "${stray}" beside its signed response`)
  return parseSignedToken(response)
}

/**
 * Rejects an error without `state`, which RFC 6749 section 4.1.2.1 requires: some providers leave it out when the visitor
 * cancels. It belongs to no flow, so that a forged one ends none.
 * @throws OAuthCallbackError
 */
export function assertNoStatelessError(parameters: URLSearchParams, attempt: Attempt): void {
  const error = parameters.get("error")
  if (!error || parameters.has("state") || attempt.provider.checks.includes("none")) return
  throw createCallbackError(error, parameters, attempt)
}

/** Converts an error that the provider answered with; others are returned as they are. */
function toCallbackError(failure: unknown, attempt: Attempt): unknown {
  if (!(failure instanceof AuthorizationResponseError)) return failure
  return createCallbackError(failure.error, failure.cause, attempt)
}

/** @param parameters Those of the answer. */
function createCallbackError(error: string, parameters: URLSearchParams, attempt: Attempt): OAuthCallbackError {
  const code = toLogCode(error)
  const description = parameters.get("error_description")
  const secrets = ["state", "code"].map((name) => parameters.get(name) ?? undefined)
  const error_description = description ? toLogDescription(description, secrets) : undefined
  const explained = error_description === undefined ? "" : `: ${error_description.replace(/\.$/, "")}`
  const advice = adviseOnError(error, attempt)
  return new OAuthCallbackError(`The provider answered "${code}"${explained}${advice === null ? "" : `. ${advice}`}`, {
    provider: attempt.provider.id,
    error: code,
    ...(error_description !== undefined && { error_description }),
    ...findDenial(code),
  })
}

const refusal = refusalsOf({ endpoint: "authorization" })
