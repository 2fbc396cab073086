import type { OAuthProof } from "../account/proof.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Flows } from "../checks/oauth-flow.js"
import { findVariable } from "../config/env.js"
import type { ResolvedOAuthProvider } from "../config/provider.js"
import { sha256Hex } from "../crypto/hash.js"
import { InvalidCheck, OAuthSignInError } from "../errors/errors.js"
import type { AllowedOrigins } from "../http/origin.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply, redirect } from "../http/response.js"
import { buildAuthorizationUrl } from "../oauth/authorize.js"
import { completeAuthorization, readUnverified } from "../oauth/callback.js"
import type { ProviderEndpoints } from "../oauth/endpoints.js"
import type { OAuthIdentity } from "../oauth/identity.js"
import { decideProxy, resolveRedirectUri } from "../oauth/redirect-proxy.js"
import type { Proven, SignInMethod } from "./method.js"

export interface OAuthNeeds {
  readonly flows: Flows
  readonly endpoints: ProviderEndpoints
  readonly callbackUrls: CallbackUrls
  /** Address of an action below the base path. */
  readonly actionUrl: (visit: AuthRequest, path: string) => string
  /** Where a redirect proxy may send answers on to. */
  readonly allowedOrigins: AllowedOrigins | null
}

/** Signs people in by what an identity provider says of them: OAuth 2.0 and OpenID Connect, authorization code flow. */
export function oauthMethod(needs: OAuthNeeds): SignInMethod<ResolvedOAuthProvider> {
  return {
    callbackMethod: ({ isFormPost }) => (isFormPost ? "POST" : "GET"),
    isCallbackOurForm: false,
    begin: (visit, provider) => begin(visit, provider, needs),
    prove: (visit, provider) => prove(visit, provider, needs),
  }
}

async function begin(visit: AuthRequest, provider: ResolvedOAuthProvider, needs: OAuthNeeds): Promise<Reply> {
  if (provider.clientId === "") {
    throw new OAuthSignInError(
      `providers.${provider.id}.clientId: there is none. Set it, or ${findVariable(provider.id, "clientId")} in the environment`,
    )
  }
  const { url: callbackUrl, cookies } = await needs.callbackUrls.resolve(visit)
  const ownAddress = needs.actionUrl(visit, `callback/${provider.id}`)
  const returnTo = provider.redirectProxyUrl === undefined ? undefined : ownAddress
  const redirectUri = resolveRedirectUri(provider, ownAddress)
  const { cookies: flowCookies, ...protection } = await needs.flows.begin({
    provider,
    party: await toParty(provider, redirectUri),
    callbackUrl,
    returnTo,
    jar: visit.cookies,
  })
  const request = { provider, redirectUri, query: readQuery(visit), ...protection }
  const authorizationUrl = await buildAuthorizationUrl(request, needs.endpoints)
  return redirect(authorizationUrl.href, { cookies: [...cookies, ...flowCookies] })
}

/**
 * Whom a flow is with: a host may show another issuer, client or address under the same provider id, to another tenant
 * say, and an answer of one is not taken for one of the other (RFC 9700 section 4.4).
 */
async function toParty({ issuer, clientId }: ResolvedOAuthProvider, redirectUri: string): Promise<string> {
  return (await sha256Hex(JSON.stringify([issuer ?? "", clientId, redirectUri]))).slice(0, 32)
}

/** What the visitor's form adds to the authorization request; where to go afterwards is for us alone. */
function readQuery({ url }: AuthRequest): URLSearchParams {
  const query = new URLSearchParams(url.searchParams)
  query.delete("callbackUrl")
  return query
}

async function prove(visit: AuthRequest, provider: ResolvedOAuthProvider, needs: OAuthNeeds): Promise<Proven | Reply> {
  const parameters = readAnswer(visit, provider)
  const [state = null, ...others] = readUnverified(parameters, provider).getAll("state")
  if (others.length > 0) throw new InvalidCheck("state: sent more than once", { provider: provider.id })
  const forward = await findForward(visit, provider, state, needs)
  if (forward !== null) return redirect(forward)
  const redirectUri = resolveRedirectUri(provider, needs.actionUrl(visit, `callback/${provider.id}`))
  const party = await toParty(provider, redirectUri)
  const { expected, callbackUrl, cookies } = await needs.flows.resume({ provider, party, state, jar: visit.cookies })
  try {
    const userField = visit.body?.["user"]
    const answer = { provider, redirectUri, parameters, expected, ...(userField !== undefined && { userField }) }
    const identity = await completeAuthorization(answer, needs.endpoints)
    return { proof: toProof(identity, provider), callbackUrl, cookies }
  } catch (error) {
    throw new Refusal(error, cookies)
  }
}

/** A form post's query says nothing, and the other way round. */
function readAnswer({ url, body }: AuthRequest, { isFormPost }: ResolvedOAuthProvider): URLSearchParams {
  if (!isFormPost) return url.searchParams
  const fields = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  return new URLSearchParams(fields)
}

/** Where the answer goes when this service is the proxy that receives it for another one. */
async function findForward(
  { url }: AuthRequest,
  provider: ResolvedOAuthProvider,
  state: string | null,
  { flows, allowedOrigins }: OAuthNeeds,
): Promise<string | null> {
  if (provider.redirectProxyUrl === undefined || state === null) return null
  const returnAddress = await flows.findReturnAddress(state)
  const stateOrigin = returnAddress ?? undefined
  const target = decideProxy({ provider, origin: url.origin, stateOrigin, allowedOrigins })
  return target === null ? null : `${target.href}${url.search}`
}

function toProof({ user, account, profile, tokens }: OAuthIdentity, provider: ResolvedOAuthProvider): OAuthProof {
  return {
    kind: "oauth",
    user,
    account,
    profile,
    selectTokens: () => provider.account(tokens) ?? undefined,
    isEmailTrusted: provider.allowDangerousEmailAccountLinking === true,
  }
}
