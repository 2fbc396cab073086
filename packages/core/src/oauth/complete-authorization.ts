import type { ExpectedFlow } from "../checks/resume-flow.js"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { CallbackRouteError, InvalidCheck, OAuthProfileParseError } from "../errors/flow.js"
import { OAuthCallbackError } from "../errors/sign-in.js"
import { assertCodeResponse, assertState, conformResponse, validateCodeResponse } from "./authorization-response.js"
import { toClient } from "./client.js"
import type { NamedEndpoint, ProviderEndpoints } from "./endpoints.js"
import { type OAuthIdentity, toIdentity } from "./identity.js"
import { readUnverified, validateJwtResponse } from "./jwt-response.js"
import { ProviderError } from "./provider-error.js"
import { redeemCode } from "./redeem-code.js"
import { toSafeError } from "./safe-error.js"
import { withUserField } from "./user-field.js"
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
