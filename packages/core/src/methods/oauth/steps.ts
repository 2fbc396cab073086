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
import type { SignedIn } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { Account } from "../../types/user.js"
import type { MethodDeps, Proven, SignInSteps } from "../method.js"

interface OAuthDeps extends MethodDeps {
  readonly flows: Flows
  readonly endpoints: ProviderEndpoints
}

/** The authorization code flow of OAuth 2.0 and OpenID Connect. */
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
      const { user, account, profile } = proof
      if (!store) return { user, account, profile, isNewUser: undefined, isSignedInAlready: false }
      return { ...(await resolveOAuthUser(proof, current, { ...deps, store, events })), account, profile }
    },
  }
}

async function begin(request: AuthRequest, provider: ResolvedOAuthProvider, deps: OAuthDeps): Promise<Reply> {
  if (provider.clientId === "") {
    throw new OAuthSignInError(
      `providers.${provider.id}.clientId: there is none. Set it, or ${findVariable(provider.id, "clientId")} in the environment`,
    )
  }
  const { url: callbackUrl, cookies } = await deps.callbackUrls.resolve(request)
  const ownAddress = deps.actionUrl(request, `callback/${provider.id}`)
  const returnTo = provider.redirectProxyUrl === undefined ? undefined : ownAddress
  const redirectUri = resolveRedirectUri(provider, ownAddress)
  const { cookies: flowCookies, ...protection } = await deps.flows.begin({
    provider,
    clientBinding: await toClientBinding(provider, redirectUri),
    callbackUrl,
    returnTo,
    jar: request.cookies,
  })
  const authorization = { provider, redirectUri, query: readQuery(request), ...protection }
  const authorizationUrl = await buildAuthorizationUrl(authorization, deps.endpoints)
  return redirect(authorizationUrl.href, { cookies: [...cookies, ...flowCookies] })
}

/**
 * Whom a flow is with: a host may show another issuer, client or address under the same provider id, to another tenant
 * say, and an answer of one is not taken for one of the other (RFC 9700 section 4.4).
 */
async function toClientBinding({ issuer, clientId }: ResolvedOAuthProvider, redirectUri: string): Promise<string> {
  return (await sha256Hex(JSON.stringify([issuer ?? "", clientId, redirectUri]))).slice(0, 32)
}

/** What the visitor's form adds to the authorization request; where to go afterwards is for us alone. */
function readQuery({ url }: AuthRequest): URLSearchParams {
  const query = new URLSearchParams(url.searchParams)
  query.delete("callbackUrl")
  return query
}

async function prove(
  request: AuthRequest,
  provider: ResolvedOAuthProvider,
  deps: OAuthDeps,
): Promise<Proven<OAuthProof> | Reply> {
  const parameters = readAnswer(request, provider)
  const [state = null, ...others] = readUnverified(parameters, provider).getAll("state")
  if (others.length > 0) throw new InvalidCheck("state: sent more than once", { provider: provider.id })
  const forward = await findForward(request, provider, state, deps)
  if (forward !== null) return redirect(forward)
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
  { flows, allowedOrigins }: OAuthDeps,
): Promise<string | null> {
  if (provider.redirectProxyUrl === undefined || state === null) return null
  const returnAddress = await flows.findReturnAddress(state)
  const stateOrigin = returnAddress ?? undefined
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

/** A user, and how the sign-in arrived at it. */
type ResolvedUser = Omit<SignedIn, "account" | "profile">

/**
 * Resolves the user of an account at an identity provider, and links or creates what is missing.
 * @throws OAuthAccountNotLinked when the account or its email address belongs to another user
 */
export async function resolveOAuthUser(
  proof: OAuthProof,
  signedIn: AdapterUser | null,
  deps: LinkDeps,
): Promise<ResolvedUser> {
  const { accountOwner } = proof
  const isUnclaimed = accountOwner === null && signedIn === null
  const emailOwner = isUnclaimed ? await findByEmail(proof, deps.store) : null
  const mayLinkByEmail = proof.isEmailTrusted && !isEmailDenied(proof)
  const decision = decideLinking({
    signedIn: signedIn?.id ?? null,
    accountOwner: accountOwner?.id ?? null,
    emailOwner: emailOwner?.id ?? null,
    isEmailTrusted: proof.isEmailTrusted,
    isEmailDenied: isEmailDenied(proof),
    isEmailOwnerUnverified: emailOwner !== null && mayLinkByEmail && (await isAddressUnverified(emailOwner, deps)),
  })
  if (decision.kind === "refuse") throw new OAuthAccountNotLinked(decision.reason, { provider: proof.account.provider })
  if (decision.kind === "create") return createLinked(proof, deps)
  const user = [signedIn, accountOwner, emailOwner].find((candidate) => candidate?.id === decision.userId)
  if (!user) throw new OAuthAccountNotLinked("The account's user is gone", { provider: proof.account.provider })
  const isAdded = decision.kind === "link"
  if (isAdded) await linkKnown(user, proof, deps)
  await storeVerifiedEmail(user, proof, deps.store)
  return {
    user,
    isNewUser: false,
    isSignedInAlready: signedIn !== null,
    ...(isAdded && { isAccountAdded: true }),
  }
}

async function findByEmail({ user }: OAuthProof, store: Store): Promise<AdapterUser | null> {
  if (!user.email) return null
  const found = await store.getUserByEmail(user.email)
  return found && isSameAddress(found.email, user.email) ? found : null
}

/** From here on nobody gets more of the tokens than what is stored. */
async function link(user: AdapterUser, proof: OAuthProof, { store, events }: LinkDeps): Promise<void> {
  const account = toStoredAccount(proof)
  await store.linkAccount({ ...account, userId: user.id })
  await events.send("linkAccount", { user, account, profile: proof.user })
}

function toStoredAccount({ account, selectTokens }: OAuthProof): Account {
  const { provider, providerAccountId, type } = account
  return { ...selectTokens(), provider, providerAccountId, type }
}

/** @throws OAuthAccountNotLinked when another request linked the account to somebody else in the meantime */
async function linkKnown(user: AdapterUser, proof: OAuthProof, deps: LinkDeps): Promise<void> {
  try {
    await link(user, proof, deps)
  } catch (error) {
    const owner = await findOwner(proof, deps)
    if (owner === null) throw error
    if (owner.id === user.id) return
    const { provider } = proof.account
    throw new OAuthAccountNotLinked("The account was linked to another user a moment ago", { provider })
  }
}

async function findOwner({ account }: OAuthProof, { store }: LinkDeps): Promise<AdapterUser | null> {
  const { provider, providerAccountId } = account
  return (await store.getUserByAccount({ provider, providerAccountId })) ?? null
}

async function createLinked(proof: OAuthProof, deps: LinkDeps): Promise<ResolvedUser> {
  try {
    const user = await createOAuthUser(proof, deps)
    await storeVerifiedEmail(user, proof, deps.store)
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    // When another request signed in with the same account in the meantime, that one's user is who this is.
    const owner = await findOwner(proof, deps)
    if (owner === null) throw error
    return { user: owner, isNewUser: false, isSignedInAlready: false }
  }
}

async function createOAuthUser(proof: OAuthProof, deps: LinkDeps): Promise<AdapterUser> {
  const { store, events } = deps
  const { id = randomUUID(), email } = proof.user
  // Providers without addresses exist, though the adapter's type wants one; stores decide whether they take such users.
  const user = await store.createUser({ ...proof.user, id, email: email as string, emailVerified: null })
  await events.send("createUser", { user })
  try {
    await link(user, proof, deps)
  } catch (error) {
    // Without an account the user just created would lock the owner of its address out.
    if (store.has("deleteUser")) await store.deleteUser(user.id)
    throw error
  }
  return user
}

/** What is known when somebody proves an account at an identity provider. Users are named by their ids. */
export interface LinkingFacts {
  /** The user of the browser's live session. */
  readonly signedIn: string | null
  /** The user to whom the account is linked. */
  readonly accountOwner: string | null
  /** The user with the same email address. */
  readonly emailOwner: string | null
  /** Nobody has proved that the address is that user's. */
  readonly isEmailOwnerUnverified: boolean
  /** The host decided that this provider's addresses prove whose account it is. */
  readonly isEmailTrusted: boolean
  /** The provider itself says that the address was not verified. */
  readonly isEmailDenied: boolean
}

type LinkingDecision =
  | { readonly kind: "continue"; readonly userId: string }
  | { readonly kind: "link"; readonly userId: string }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: string }

/** Whose account it becomes. Pure: every row of the contract's table is one line here. */
export function decideLinking(facts: LinkingFacts): LinkingDecision {
  const { signedIn, accountOwner, emailOwner } = facts
  if (signedIn !== null) {
    if (accountOwner === null) return { kind: "link", userId: signedIn }
    if (accountOwner === signedIn) return { kind: "continue", userId: signedIn }
    return { kind: "refuse", reason: "The account is linked to another user than the one who is signed in" }
  }
  if (accountOwner !== null) return { kind: "continue", userId: accountOwner }
  if (emailOwner === null) return { kind: "create" }
  if (!facts.isEmailTrusted) {
    return { kind: "refuse", reason: "Another account has the same email address, and the provider may not link by it" }
  }
  if (facts.isEmailDenied) {
    return { kind: "refuse", reason: "Another account has the same email address, which the provider did not verify" }
  }
  if (facts.isEmailOwnerUnverified) {
    return { kind: "refuse", reason: "Another account has the same email address, which nobody proved to be its own" }
  }
  return { kind: "link", userId: emailOwner }
}
