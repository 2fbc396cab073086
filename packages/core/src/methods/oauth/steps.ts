import { resolveOAuthUser } from "../../account/link-oauth.js"
import type { OAuthProof } from "../../account/proof.js"
import { createFlows, type Flows } from "../../checks/oauth-flow.js"
import { chooseReplayGuard } from "../../checks/replay.js"
import { sha256Hex } from "../../crypto/hash.js"
import { toSecrets } from "../../crypto/keys.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidCheck } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { defaultAccount } from "../../host/account-fields.js"
import type { Store } from "../../host/store.js"
import { checkMaxAgeSeconds } from "../../http/own-cookies.js"
import type { AuthRequest } from "../../http/request.js"
import { Refusal, type Reply, redirect } from "../../http/response.js"
import { buildAuthorizationUrl, decideProxy, resolveRedirectUri, toRequestedScope } from "../../oauth/authorize.js"
import { assertNoStatelessError, completeAuthorization, readUnverified } from "../../oauth/callback.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../oauth/endpoints.js"
import { selectKept, toKept } from "../../oauth/kept-parameters.js"
import type { OAuthIdentity } from "../../oauth/userinfo.js"
import { andThen, isPromiseLike, systemClock } from "../../runtime/promise.js"
import type { AdapterAccount, AdapterUser } from "../../types/adapter.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { MethodDeps } from "../method.js"
import { methodFact, type Proven, type SignInSteps } from "../steps.js"

interface OAuthDeps extends MethodDeps {
  readonly flows: Flows
  readonly endpoints: ProviderEndpoints
}

/** Whether the account was linked before, so that its tokens have to be stored once the sign-in is admitted. */
const newTokens = methodFact<true>("oauth.newTokens")

/** The authorization code flow of OAuth 2.0 and OpenID Connect. The protocol itself is in `oauth/`. */
export function oauthSteps(methodDeps: MethodDeps): SignInSteps<ResolvedOAuthProvider, OAuthProof> {
  const { config, cookies, store, log, slots } = methodDeps
  const flows = createFlows({
    cookies,
    sealer: createSealer(config.secrets, systemClock),
    secrets: toSecrets(config.secrets),
    replayGuard: chooseReplayGuard(store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxFlows: config.requestLimits.flows,
    places: config,
  })
  const deps: OAuthDeps = { ...methodDeps, flows, endpoints: createProviderEndpoints({ log, clock: systemClock }) }
  const tokens = store && slots.openTokens?.(store, config.secrets)
  return {
    begin: (request, provider) => begin(request, provider, deps),
    prove: (request, provider) => prove(request, provider, deps),
    resolveUser(proof, current, events) {
      if (!store) return { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
      const resolving = resolveOAuthUser(proof, current, { ...deps, store, events, ...(tokens && { tokens }) })
      return resolving.then((resolved) => {
        if ("redirectUrl" in resolved) return resolved
        const { hasNewTokens, ...linked } = resolved
        return { ...linked, ...(hasNewTokens && newTokens.bring(true)) }
      })
    },
    async renewTokens(signedIn, resolved) {
      if (!newTokens.of(signedIn)) return
      const { user, account } = signedIn
      const { provider, providerAccountId, type, ...received } = account
      const key = { provider, providerAccountId, type, userId: user.id } as AdapterAccount // as: a stored user has an id.
      await tokens?.renew({ ...selectKept(resolved, received, systemClock()), ...key })
    },
  }
}

/** Redirects to the provider's authorization endpoint, and sets the cookies of a new flow. */
async function begin(request: AuthRequest, provider: ResolvedOAuthProvider, deps: OAuthDeps): Promise<Reply> {
  const resolving = deps.callbackUrls.resolve(request)
  const { url: callbackUrl, cookies } = isPromiseLike(resolving) ? await resolving : resolving
  const ownRedirectUri = deps.actionUrl(request, `callback/${provider.id}`)
  const redirectUri = resolveRedirectUri(provider, ownRedirectUri)
  // A provider shows an unregistered redirect URI on a page of its own, and never answers.
  deps.log.debug("authorization request", () => ({ provider: provider.id, redirect_uri: redirectUri }))
  // Forms add authorization parameters as query parameters.
  const query = new URLSearchParams(request.url.search)
  query.delete("callbackUrl")
  const binding = toClientBinding(provider, redirectUri)
  const beginning = deps.flows.begin({
    provider,
    clientBinding: isPromiseLike(binding) ? await binding : binding,
    redirectUri,
    callbackUrl,
    returnTo: provider.redirectProxyUrl === undefined ? undefined : ownRedirectUri,
    initiatorId: deps.store && (await findInitiatorId(request, deps.sessions)),
    ...(deps.slots.openTokens && { scope: toRequestedScope({ provider, query }) }),
    jar: request.cookies,
  })
  const { cookies: flowCookies, ...protection } = isPromiseLike(beginning) ? await beginning : beginning
  const building = buildAuthorizationUrl({ provider, redirectUri, query, ...protection }, deps.endpoints)
  const authorizationUrl = isPromiseLike(building) ? await building : building
  return redirect(authorizationUrl.href, { cookies: [...cookies, ...flowCookies] })
}

/** The user who will get the account linked. Without a store there is nothing to link. */
async function findInitiatorId({ cookies }: AuthRequest, sessions: OAuthDeps["sessions"]): Promise<string | null> {
  const user = await sessions.findUser(cookies)
  return user && String(user.id)
}

/**
 * Binds a flow to the issuer, client and redirect URI that it began with. A host may configure another issuer or client
 * under the same provider id, such as one for each tenant; a response from one is not accepted for another (mix-up
 * attack, RFC 9700 section 4.4).
 */
function toClientBinding({ issuer, clientId }: ResolvedOAuthProvider, redirectUri: string): Awaitable<string> {
  return andThen(sha256Hex(JSON.stringify([issuer ?? "", clientId, redirectUri])), (hash) => hash.slice(0, 32))
}

/** Verifies the authorization response and fetches the profile. */
async function prove(
  request: AuthRequest,
  provider: ResolvedOAuthProvider,
  deps: OAuthDeps,
): Promise<Proven<OAuthProof> | Reply> {
  const parameters = readResponseParameters(request, provider)
  const unverified = readUnverified(parameters, provider)
  const redirectUri = resolveRedirectUri(provider, deps.actionUrl(request, `callback/${provider.id}`))
  assertNoStatelessError(unverified, { provider, redirectUri })
  const [state = null, ...others] = unverified.getAll("state")
  if (others.length > 0)
    throw new InvalidCheck("state: sent more than once", { provider: provider.id, ...because("state-repeated") })
  const forwarding = findForwardUrl(request, provider, state, deps)
  const forwardUrl = isPromiseLike(forwarding) ? await forwarding : forwarding
  if (forwardUrl !== null) return redirect(forwardUrl)
  const binding = toClientBinding(provider, redirectUri)
  const clientBinding = isPromiseLike(binding) ? await binding : binding
  const returning = { provider, clientBinding, redirectUri, state, jar: request.cookies }
  const { expected, callbackUrl, initiatorId, scope, cookies } = await deps.flows.resume(returning)
  try {
    const userField = request.body?.["user"]
    const answer = { provider, redirectUri, parameters, expected, ...(userField !== undefined && { userField }) }
    const { account, tokens, ...identity } = await completeAuthorization(answer, deps.endpoints)
    // RFC 6749 section 5.1: a provider that grants what it was asked for need not name it.
    const asked = scope === undefined ? {} : { scope }
    const granted = { ...identity, account: { ...asked, ...account }, tokens: { ...asked, ...tokens } }
    const proving = toProof(granted, provider, deps.store)
    const proof = { ...(isPromiseLike(proving) ? await proving : proving), initiatorId }
    return { proof, callbackUrl, cookies }
  } catch (error) {
    throw new Refusal(error, cookies)
  }
}

/** The query, or the form if the provider uses `form_post`. Parameters in the other place are ignored. */
function readResponseParameters({ url, body }: AuthRequest, { isFormPost }: ResolvedOAuthProvider): URLSearchParams {
  if (!isFormPost) return url.searchParams
  const fields = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  return new URLSearchParams(fields)
}

/** The URL to forward the response to if this service is the redirect proxy of another one. */
function findForwardUrl(
  { url }: AuthRequest,
  provider: ResolvedOAuthProvider,
  state: string | null,
  { flows, allowedOrigins }: OAuthDeps,
): Awaitable<string | null> {
  if (provider.redirectProxyUrl === undefined || state === null) return null
  return flows.findReturnAddress(state).then((address) => {
    const stateOrigin = address ?? undefined
    const target = decideProxy({ provider, origin: url.origin, stateOrigin, allowedOrigins })
    return target === null ? null : `${target.href}${url.search}`
  })
}

function toProof(
  identity: OAuthIdentity,
  provider: ResolvedOAuthProvider,
  store: Store | null,
): Awaitable<Omit<OAuthProof, "initiatorId">> {
  if (!store) return toProofOf(identity, provider, null)
  const { provider: id, providerAccountId } = identity.account
  // Some adapters return undefined.
  const finding = store.getUserByAccount({ provider: id, providerAccountId })
  return andThen(finding, (owner) => toProofOf(identity, provider, owner || null))
}

function toProofOf(
  { user, givenEmail, account, profile, tokens }: OAuthIdentity,
  provider: ResolvedOAuthProvider,
  accountOwner: AdapterUser | null,
): Omit<OAuthProof, "initiatorId"> {
  return {
    candidate: accountOwner ?? user,
    user,
    ...(givenEmail !== undefined && { givenEmail }),
    account,
    achieved: ["fed"],
    profile,
    accountOwner,
    knownUserId: accountOwner?.id,
    dependsOnSession: true,
    selectTokens: () => (provider.account ? provider.account(tokens) : defaultAccount(tokens)) ?? undefined,
    toKept: (selected) => toKept(selected, tokens, { provider, nowMs: systemClock() }),
    isEmailTrusted: provider.allowDangerousEmailAccountLinking === true,
  }
}
