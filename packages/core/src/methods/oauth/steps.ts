import {
  type EmailTrustDeps,
  isAddressUnverified,
  isEmailDenied,
  isSameAddress,
  storeVerifiedEmail,
} from "../../account/email-trust.js"
import type { OAuthProof } from "../../account/proof.js"
import { createFlows, type Flows } from "../../checks/oauth-flow.js"
import { chooseReplayGuard } from "../../checks/replay.js"
import { sha256Hex } from "../../crypto/hash.js"
import { randomUUID } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidCheck, OAuthAccountNotLinked, OAuthSignInError } from "../../errors/errors.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import { checkMaxAgeSeconds } from "../../http/cookie-options.js"
import type { AuthRequest } from "../../http/request.js"
import { Refusal, type Reply, redirect } from "../../http/response.js"
import { buildAuthorizationUrl } from "../../oauth/authorize.js"
import { completeAuthorization, readUnverified } from "../../oauth/callback.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../oauth/endpoints.js"
import type { OAuthIdentity } from "../../oauth/identity.js"
import { decideProxy, resolveRedirectUri } from "../../oauth/redirect-proxy.js"
import { findVariable } from "../../runtime/environment.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { Account } from "../../types/user.js"
import type { MethodDeps, Proven, ResolvedUser, SignInSteps } from "../method.js"

interface OAuthDeps extends MethodDeps {
  readonly flows: Flows
  readonly endpoints: ProviderEndpoints
}

/** The authorization code flow of OAuth 2.0 and OpenID Connect. The protocol itself is in `oauth/`. */
export function oauthSteps(methodDeps: MethodDeps): SignInSteps<ResolvedOAuthProvider, OAuthProof> {
  const { config, cookies, store, log } = methodDeps
  const flows = createFlows({
    cookies,
    sealer: createSealer(config.secrets, systemClock),
    replayGuard: chooseReplayGuard(store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxFlows: config.requestLimits.flows,
  })
  const deps: OAuthDeps = { ...methodDeps, flows, endpoints: createProviderEndpoints({ log, clock: systemClock }) }
  return {
    begin: (request, provider) => begin(request, provider, deps),
    prove: (request, provider) => prove(request, provider, deps),
    async resolveUser(proof, current, events) {
      if (!store) return { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
      return resolveOAuthUser(proof, current, { ...deps, store, events })
    },
  }
}

/** Redirects to the provider's authorization endpoint, and sets the cookies of a new flow. */
async function begin(request: AuthRequest, provider: ResolvedOAuthProvider, deps: OAuthDeps): Promise<Reply> {
  if (provider.clientId === "") {
    const variable = findVariable(provider.id, "clientId")
    throw new OAuthSignInError(`providers.${provider.id}.clientId: missing. Set it, or ${variable} in the environment`)
  }
  const { url: callbackUrl, cookies } = await deps.callbackUrls.resolve(request)
  const ownRedirectUri = deps.actionUrl(request, `callback/${provider.id}`)
  const redirectUri = resolveRedirectUri(provider, ownRedirectUri)
  const { cookies: flowCookies, ...protection } = await deps.flows.begin({
    provider,
    clientBinding: await toClientBinding(provider, redirectUri),
    callbackUrl,
    returnTo: provider.redirectProxyUrl === undefined ? undefined : ownRedirectUri,
    jar: request.cookies,
  })
  // Forms add authorization parameters as query parameters.
  const query = new URLSearchParams(request.url.searchParams)
  query.delete("callbackUrl")
  const authorizationUrl = await buildAuthorizationUrl({ provider, redirectUri, query, ...protection }, deps.endpoints)
  return redirect(authorizationUrl.href, { cookies: [...cookies, ...flowCookies] })
}

/**
 * Binds a flow to the issuer, client and redirect URI that it began with. A host may configure another issuer or client
 * under the same provider id, such as one for each tenant; a response from one is not accepted for another (mix-up
 * attack, RFC 9700 section 4.4).
 */
async function toClientBinding({ issuer, clientId }: ResolvedOAuthProvider, redirectUri: string): Promise<string> {
  return (await sha256Hex(JSON.stringify([issuer ?? "", clientId, redirectUri]))).slice(0, 32)
}

/** Verifies the authorization response and fetches the profile. */
async function prove(
  request: AuthRequest,
  provider: ResolvedOAuthProvider,
  deps: OAuthDeps,
): Promise<Proven<OAuthProof> | Reply> {
  const parameters = readResponseParameters(request, provider)
  const [state = null, ...others] = readUnverified(parameters, provider).getAll("state")
  if (others.length > 0) throw new InvalidCheck("state: sent more than once", { provider: provider.id })
  const forwardUrl = await findForwardUrl(request, provider, state, deps)
  if (forwardUrl !== null) return redirect(forwardUrl)
  const redirectUri = resolveRedirectUri(provider, deps.actionUrl(request, `callback/${provider.id}`))
  const clientBinding = await toClientBinding(provider, redirectUri)
  const returning = { provider, clientBinding, state, jar: request.cookies }
  const { expected, callbackUrl, cookies } = await deps.flows.resume(returning)
  try {
    const userField = request.body?.["user"]
    const answer = { provider, redirectUri, parameters, expected, ...(userField !== undefined && { userField }) }
    const identity = await completeAuthorization(answer, deps.endpoints)
    return { proof: await toProof(identity, provider, deps.store), callbackUrl, cookies }
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
async function findForwardUrl(
  { url }: AuthRequest,
  provider: ResolvedOAuthProvider,
  state: string | null,
  { flows, allowedOrigins }: OAuthDeps,
): Promise<string | null> {
  if (provider.redirectProxyUrl === undefined || state === null) return null
  const stateOrigin = (await flows.findReturnAddress(state)) ?? undefined
  const target = decideProxy({ provider, origin: url.origin, stateOrigin, allowedOrigins })
  return target === null ? null : `${target.href}${url.search}`
}

async function toProof(
  { user, account, profile, tokens }: OAuthIdentity,
  provider: ResolvedOAuthProvider,
  store: Store | null,
): Promise<OAuthProof> {
  const { provider: id, providerAccountId } = account
  const owner = store?.has("getUserByAccount") && (await store.getUserByAccount({ provider: id, providerAccountId }))
  const accountOwner = owner || null // Some adapters return undefined.
  return {
    candidate: accountOwner ?? user,
    user,
    account,
    profile,
    accountOwner,
    knownUserId: accountOwner?.id,
    dependsOnSession: true,
    selectTokens: () => provider.account(tokens) ?? undefined,
    isEmailTrusted: provider.allowDangerousEmailAccountLinking === true,
  }
}

interface LinkDeps extends EmailTrustDeps {
  readonly store: Store
  readonly events: Events
}

/**
 * Resolves the user of an account at an identity provider, and links or creates what is missing.
 * @throws OAuthAccountNotLinked when the account or its email address belongs to another user
 */
export async function resolveOAuthUser(
  proof: OAuthProof,
  current: AdapterUser | null,
  deps: LinkDeps,
): Promise<ResolvedUser> {
  const { accountOwner } = proof
  const isUnclaimed = accountOwner === null && current === null
  const emailOwner = isUnclaimed ? await findEmailOwner(proof, deps.store) : null
  const mayLinkByEmail = proof.isEmailTrusted && !isEmailDenied(proof)
  const decision = decideLinking({
    currentUser: current?.id ?? null,
    accountOwner: accountOwner?.id ?? null,
    emailOwner: emailOwner?.id ?? null,
    isEmailTrusted: proof.isEmailTrusted,
    isEmailDenied: isEmailDenied(proof),
    isEmailOwnerUnverified: emailOwner !== null && mayLinkByEmail && (await isAddressUnverified(emailOwner, deps)),
  })
  if (decision.kind === "refuse") throw new OAuthAccountNotLinked(decision.reason, { provider: proof.account.provider })
  if (decision.kind === "create") return createLinkedUser(proof, deps)
  const user = [current, accountOwner, emailOwner].find((candidate) => candidate?.id === decision.userId)
  if (!user) throw new OAuthAccountNotLinked("The account's user does not exist", { provider: proof.account.provider })
  const isAccountAdded = decision.kind === "link"
  if (isAccountAdded) await linkToUser(user, proof, deps)
  await storeVerifiedEmail(user, proof, deps.store)
  return { user, isNewUser: false, isSignedInAlready: current !== null, ...(isAccountAdded && { isAccountAdded }) }
}

async function findEmailOwner({ user }: OAuthProof, store: Store): Promise<AdapterUser | null> {
  if (!user.email) return null
  const found = await store.getUserByEmail(user.email)
  return found && isSameAddress(found.email, user.email) ? found : null
}

/** The facts that decide about linking. Users are named by their ids. */
export interface LinkingFacts {
  /** The user of the current session. */
  readonly currentUser: string | null
  /** The user that the account is linked to. */
  readonly accountOwner: string | null
  /** The user with the same email address. */
  readonly emailOwner: string | null
  /** Whether that user never verified the address. */
  readonly isEmailOwnerUnverified: boolean
  /** Whether `allowDangerousEmailAccountLinking` is set for the provider. */
  readonly isEmailTrusted: boolean
  /** Whether the provider says that the address is not verified. */
  readonly isEmailDenied: boolean
}

type LinkingDecision =
  | { readonly kind: "continue"; readonly userId: string }
  | { readonly kind: "link"; readonly userId: string }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: string }

const refuse = (reason: string): LinkingDecision => ({ kind: "refuse", reason })

/** Decides which user an account belongs to. Pure: each line is one row of the linking table. */
export function decideLinking(facts: LinkingFacts): LinkingDecision {
  const { currentUser, accountOwner, emailOwner } = facts
  if (currentUser !== null) {
    if (accountOwner === null) return { kind: "link", userId: currentUser }
    if (accountOwner === currentUser) return { kind: "continue", userId: currentUser }
    return refuse("The account is linked to another user than the one who is signed in")
  }
  if (accountOwner !== null) return { kind: "continue", userId: accountOwner }
  if (emailOwner === null) return { kind: "create" }
  if (!facts.isEmailTrusted) {
    return refuse("Another user has the same email address, and allowDangerousEmailAccountLinking is not set")
  }
  if (facts.isEmailDenied) return refuse("Another user has the same email address, which the provider did not verify")
  if (facts.isEmailOwnerUnverified) {
    return refuse("Another user has the same email address, but never verified it")
  }
  return { kind: "link", userId: emailOwner }
}

async function createLinkedUser(proof: OAuthProof, deps: LinkDeps): Promise<ResolvedUser> {
  try {
    const user = await createUser(proof, deps)
    await storeVerifiedEmail(user, proof, deps.store)
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    // A concurrent request may have signed in with the same account.
    const owner = await findAccountOwner(proof, deps)
    if (owner === null) throw error
    return { user: owner, isNewUser: false, isSignedInAlready: false }
  }
}

async function createUser(proof: OAuthProof, deps: LinkDeps): Promise<AdapterUser> {
  const { store, events } = deps
  const { id = randomUUID(), email } = proof.user
  // Some providers have no addresses. The adapter's type requires one; the store decides whether it accepts such users.
  const user = await store.createUser({ ...proof.user, id, email: email as string, emailVerified: null })
  await events.send("createUser", { user })
  try {
    await linkAccount(user, proof, deps)
  } catch (error) {
    // A user without an account would keep the owner of the address from signing up.
    if (store.has("deleteUser")) await store.deleteUser(user.id)
    throw error
  }
  return user
}

/** @throws OAuthAccountNotLinked when a concurrent request linked the account to another user */
async function linkToUser(user: AdapterUser, proof: OAuthProof, deps: LinkDeps): Promise<void> {
  try {
    await linkAccount(user, proof, deps)
  } catch (error) {
    const owner = await findAccountOwner(proof, deps)
    if (owner === null) throw error
    if (owner.id === user.id) return
    const { provider } = proof.account
    throw new OAuthAccountNotLinked("The account was just linked to another user", { provider })
  }
}

/** Stores the account. The event gets the stored tokens only. */
async function linkAccount(user: AdapterUser, proof: OAuthProof, { store, events }: LinkDeps): Promise<void> {
  const { provider, providerAccountId, type } = proof.account
  const account: Account = { ...proof.selectTokens(), provider, providerAccountId, type }
  await store.linkAccount({ ...account, userId: user.id })
  await events.send("linkAccount", { user, account, profile: proof.user })
}

async function findAccountOwner({ account }: OAuthProof, { store }: LinkDeps): Promise<AdapterUser | null> {
  const { provider, providerAccountId } = account
  return (await store.getUserByAccount({ provider, providerAccountId })) ?? null
}
