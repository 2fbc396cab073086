import type { User } from "@latchkey/types"
import type { AuthMethod } from "../account/proof.js"
import { findStartHooks, type ProvenSignIn, startSession } from "../actions/callback.js"
import type { ActionContext } from "../actions/context.js"
import { AccessDenied, HeldExpired } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"
import { toIdText } from "../runtime/id.js"
import { systemClock } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { ResolvedProvider } from "../types/resolved.js"
import type { Account } from "../types/user.js"
import { countFactors, decideAdmission } from "./admission.js"
import type { HeldSignIn } from "./hold.js"
import { isFresh, needsTwo } from "./own-factors.js"
import { isDemanded, listKinds, openTools, type SecondFactorSettings, type Tools } from "./tools.js"

/**
 * Decides on a proven sign-in: starts its session, or holds it until the user has given a second factor. Every method comes
 * through here, since no other code starts sessions.
 * @throws AccessDenied for a user without an id, who can have no second factor, where one is demanded
 */
export async function admit(signIn: ProvenSignIn, request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const { signedIn } = signIn
  const { user, account } = signedIn
  const userId = toIdText(user.id)
  const achieved = [...signedIn.achieved, ...findTrusted(signedIn, tools.settings, context)] as readonly AuthMethod[]
  const [enrolled, isRequired] = await Promise.all([
    userId === "" ? [] : listKinds(userId, tools),
    isDemanded(user, tools.settings),
  ])
  const admission = decideAdmission({
    isDisabled: false,
    achieved,
    enrolled,
    demanded: isRequired ? "second-factor" : "none",
    isDeviceRemembered: false,
  })
  if (admission.kind === "admit") {
    const isStrong = countFactors(achieved) >= 2
    return admitWith({ ...signIn, signedIn: { ...signedIn, achieved } }, { request, context, tools }, isStrong)
  }
  if (admission.kind === "refuse" || userId === "") {
    throw new AccessDenied(`The user ${userId === "" ? "has no id, so no second factor" : "may not sign in"}`, {
      provider: account.provider,
    })
  }
  const held = toHeld({ ...signIn, signedIn: { ...signedIn, achieved } })
  const cookies = await tools.holds.keep({ ...held, userId, step: admission.step }, request.cookies)
  return redirect(context.actionUrl(request, "second-factor"), { cookies })
}

/**
 * Whether an account may be added to the user of a session. One that would pass this gate by itself is a second factor, so
 * a stolen session must not be enough to add it.
 */
export async function mayAdd(
  { provider, type }: Pick<Account, "provider" | "type">,
  user: AdapterUser,
  { cookies }: AuthRequest,
  context: ActionContext,
): Promise<boolean> {
  const tools = openTools(context)
  const isSecondFactor = type === "webauthn" || Object.hasOwn(tools.settings.trust, provider)
  const userId = toIdText(user.id)
  if (!isSecondFactor || !(await needsTwo({ user, userId }, tools))) return true
  return isFresh({ user, userId }, cookies, tools)
}

/** A request to the gate, with what it works with. */
export interface Visit {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly tools: Tools
}

/** Starts the session of a held sign-in whose second factor was given. Once: another request with its cookie is refused. */
export async function resume(method: AuthMethod, visit: Visit): Promise<Reply> {
  const { request, tools } = visit
  const held = await tools.holds.take(request.cookies)
  const user = held.userFromHost ?? (await tools.store.getUser(held.userId))
  if (!user) throw new HeldExpired("The user of the sign-in no longer exists")
  return admitWith(toProvenSignIn(held, user, method), visit, true)
}

/** Starts the session, and notes when and how the user proved who they are. */
async function admitWith(signIn: ProvenSignIn, visit: Visit, isStrong: boolean): Promise<Reply> {
  const { request, context, tools } = visit
  const reply = await startSession(signIn, request, {
    sessions: context.sessions,
    events: context.events.of(request),
    ...findStartHooks(request, context),
  })
  const { user, achieved, isAccountAdded } = signIn.signedIn
  const userId = toIdText(user.id)
  // An account that was added to the user of a session does not prove again who they are: a thief can add their own.
  const isProof = userId !== "" && isAccountAdded !== true
  const proof = { userId, time: systemClock(), methods: achieved as readonly AuthMethod[], isStrong }
  return {
    ...reply,
    cookies: [
      ...(reply.cookies ?? []),
      ...(isProof ? [await tools.proofCookie.write(proof)] : []),
      ...tools.holds.clear(request.cookies),
    ],
  }
}

/** Whether the host trusts the provider to have asked for a second factor: by the claims of its verified ID token alone. */
function findTrusted(
  { account, profile }: ProvenSignIn["signedIn"],
  { trust }: SecondFactorSettings,
  { providers }: Pick<ActionContext, "providers">,
): readonly AuthMethod[] {
  const isTrusted = Object.hasOwn(trust, account.provider) ? trust[account.provider] : undefined
  const provider = providers.get(account.provider)
  // A profile from elsewhere is not signed.
  if (!isTrusted || !profile || !provider || !isSigned(provider)) return []
  return isTrusted(profile) === true ? ["mfa"] : []
}

/** Whether the profile of a provider is the claims of an ID token, which the flow verified. */
export function isSigned(provider: ResolvedProvider): boolean {
  return "idToken" in provider && provider.idToken === true
}

type KeptSignIn = Omit<HeldSignIn, "flow" | "userId" | "step">

function toHeld({ signedIn, isByCredentials, url }: ProvenSignIn): KeptSignIn {
  const { user, account, achieved, profile, isNewUser, isAccountAdded, isUserFromHost } = signedIn
  const { isSignedInAlready, hasNewTokens, passwordChangedAt } = signedIn
  return {
    account,
    achieved: achieved as readonly AuthMethod[],
    isSignedInAlready,
    ...(hasNewTokens && { hasNewTokens }),
    ...(passwordChangedAt !== undefined && { passwordChangedAt }),
    isByCredentials,
    url,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && { isNewUser }),
    ...(isAccountAdded !== undefined && { isAccountAdded }),
    ...(isUserFromHost && { userFromHost: user }),
  }
}

function toProvenSignIn(held: HeldSignIn, user: User, method: AuthMethod): ProvenSignIn {
  const { account, achieved, profile, isNewUser, isAccountAdded, userFromHost } = held
  const { isSignedInAlready, hasNewTokens, passwordChangedAt } = held
  return {
    signedIn: {
      user,
      account,
      achieved: [...achieved, method],
      isNewUser,
      isSignedInAlready,
      ...(hasNewTokens && { hasNewTokens }),
      ...(passwordChangedAt !== undefined && { passwordChangedAt }),
      ...(profile && { profile }),
      ...(isAccountAdded !== undefined && { isAccountAdded }),
      ...(userFromHost && { isUserFromHost: true }),
    },
    isByCredentials: held.isByCredentials,
    url: held.url,
  }
}
