import type { AuthMethod } from "../../account/proof.js"
import { countFactors, type SessionProof } from "../../account/session-proofs.js"
import { AccessDenied, HeldExpired } from "../../errors/errors.js"
import { runApp } from "../../host/redact.js"
import { toSetJar } from "../../http/cookies.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import { isPasskeyProvider } from "../../methods/reauthentication.js"
import { isOpenIdProvider } from "../../oauth/end-session.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { SessionRequest } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ResolvedProvider } from "../../types/resolved.js"
import type { Account } from "../../types/user.js"
import { stepPage, toCompletionKey } from "../completed.js"
import type { ActionContext, ProvenSignIn } from "../feature.js"
import { isLive, refuseAddition } from "../freshness.js"
import { findStartHooks, startSession, vetSignIn } from "../sign-in.js"
import { type AdmissionFacts, decideAdmission } from "./admission.js"
import { isEnded, type KeptSignIn, listEndings, type PendingHold, toKept, toProven } from "./hold.js"
import { isFresh } from "./own-factors.js"
import { isDemanded, openTools, type SecondFactorSettings, type Tools, toKinds } from "./tools.js"
import { hasKey, listUnproved } from "./unproved.js"

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
  const [trusted, rows, isRequired] = await Promise.all([
    findTrusted(signedIn, tools.settings, context),
    userId === "" ? [] : tools.store.listFactors(userId),
    isDemanded(user, tools.settings),
  ])
  const achieved = [...signedIn.achieved, ...trusted] as readonly AuthMethod[]
  const enrolled = await toKinds(userId, rows, tools)
  const decide = (methods: readonly AuthMethod[], changes: Partial<AdmissionFacts> = {}) =>
    decideAdmission({ ...noFacts, achieved: methods, enrolled, isDemanded: isRequired, ...changes })
  const visit: Visit = { request, context, tools }
  const proven = { ...signIn, signedIn: { ...signedIn, achieved } }
  const first = decide(achieved)
  const resumed = await tryResume(proven, (methods) => decide(methods).kind === "admit", visit)
  if (resumed) return resumed
  const step = first.kind === "hold" ? first.step : null
  const device = step === "second-factor" ? await tools.devices.recognize(request.cookies, userId, rows) : null
  const partial = { userId, achieved, provider: account.provider }
  const hasUnproved = step === "enroll" && (await listUnproved(partial, context, tools)).length > 0
  const admission = decide(achieved, { hasUnproved, isDeviceRemembered: device !== null })
  if (admission.kind === "admit") {
    const reply = await admitWith(proven, visit)
    return device ? { ...reply, cookies: [...(reply.cookies ?? []), device] } : reply
  }
  if (userId === "") {
    throw new AccessDenied("The user has no id, so no second factor", { provider: account.provider })
  }
  const held = { signIn: toKept(proven), userId, step: admission.step, endings: listEndings(rows) }
  const cookies = await tools.holds.keep(held, request.cookies)
  return redirect(context.actionUrl(request, "second-factor"), { cookies })
}

/** Whether a session that has proved no factor may go on: only where a sign-in would not be asked for a second one. */
export async function admitsAdopted(
  user: AdapterUser,
  context: ActionContext,
  achieved: readonly AuthMethod[] = [],
): Promise<boolean> {
  const tools = openTools(context)
  const userId = toIdText(user.id)
  const isRequired = await isDemanded(user, tools.settings)
  const enrolled = await toKinds(userId, await tools.store.listFactors(userId), tools)
  const facts = { ...noFacts, achieved, enrolled, isDemanded: isRequired }
  return decideAdmission(facts).kind === "admit"
}

const noFacts = { hasUnproved: false, isDeviceRemembered: false }

/**
 * Completes the sign-in that waits in this browser, if a new one is its second step: with a passkey, or after one. Null
 * otherwise, and if it can no longer be completed although the new one is enough by itself.
 */
async function tryResume(
  { signedIn }: ProvenSignIn,
  areAdmitted: (methods: readonly AuthMethod[]) => boolean,
  visit: Visit,
): Promise<Reply | null> {
  const pending = isKnownAccount(signedIn) ? await visit.tools.holds.find(visit.request.cookies) : null
  const achieved = signedIn.achieved as readonly AuthMethod[]
  if (!pending || !isSameId(pending.userId, toIdText(signedIn.user.id))) return null
  if (!isPasskeyProvider(signedIn.account) && !hasKey(pending.achieved)) return null
  if (!areAdmitted([...pending.achieved, ...achieved])) return null
  try {
    return await resume(achieved, visit)
  } catch (error) {
    if (error instanceof HeldExpired && areAdmitted(achieved)) return null
    throw error
  }
}

/** What was registered before can be the second step of a sign-in that waits. */
function isKnownAccount({ isAccountAdded, isNewUser }: ProvenSignIn["signedIn"]): boolean {
  return isAccountAdded !== true && isNewUser !== true
}

/**
 * Whether an account may be added to the user of a session. A stolen session must not be enough, even where a sign-in with
 * the account would be asked for a code: a stolen cookie of a remembered device gives it, and the user may remove the factor
 * some day. Without one, the thief could sign in with the account, and would then have proved who the user is.
 */
export async function vetAccount(
  { provider }: Pick<Account, "provider">,
  user: AdapterUser,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply | null> {
  const userId = toIdText(user.id)
  const isAllowed =
    (await isLive(request, context)) && (await isFresh({ user, userId }, request.cookies, openTools(context)))
  return isAllowed ? null : refuseAddition({ provider, userId }, request, context)
}

/** How the user of this browser's session proved who they are. */
export function readProofs(
  userId: string,
  { cookies }: SessionRequest,
  context: ActionContext,
): Promise<readonly SessionProof[]> {
  return openTools(context).proofCookie.read(cookies, userId)
}

/** The proofs end with the session, and what its pages would show again. */
export async function forgetProofs(
  url: string,
  { cookies }: AuthRequest,
  context: ActionContext,
): Promise<{ readonly url: string; readonly cookies: readonly ResponseCookie[] }> {
  const { proofCookie, shown } = openTools(context)
  return { url, cookies: [...proofCookie.clear(cookies), ...shown.forgetKey(cookies), ...shown.forgetCodes(cookies)] }
}

/** A request to the gate, with what it works with. */
export interface Visit {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly tools: Tools
}

/** @throws HeldExpired if all sessions of the user ended while the sign-in waited */
export async function assertWaiting(pending: PendingHold, { store }: Pick<Tools, "store">): Promise<void> {
  if (isEnded(pending, await store.listFactors(pending.userId))) {
    throw new HeldExpired("All sessions of the user ended while the sign-in waited")
  }
}

/**
 * Starts the session of a held sign-in whose second factor was given. Once: another request with its cookie is refused.
 * @param isRemembered Whether the browser is remembered, too.
 */
export async function resume(methods: readonly AuthMethod[], visit: Visit, isRemembered = false): Promise<Reply> {
  const { request, context, tools } = visit
  const held = await tools.holds.take(request.cookies)
  await assertWaiting(held, tools)
  const user = held.signIn.signedIn.user ?? (await tools.store.getUser(held.userId))
  if (!user) throw new HeldExpired("The user of the sign-in no longer exists")
  const finish = async (started: readonly ResponseCookie[]) => {
    const device = isRemembered ? [await tools.devices.remember(held.userId)] : []
    await assertStillWaiting(held, started, visit)
    return device
  }
  const signIn = { ...toProven(held.signIn, user, methods), completes: await addKey(held.signIn, request) }
  const refusal = await vetSignIn(signIn, request, context)
  if (refusal) return { ...refusal, cookies: [...(refusal.cookies ?? []), ...tools.holds.clear(request.cookies)] }
  return admitWith(signIn, visit, { leastFactors: 2, given: methods, finish })
}

/** The form and its page are completed beside the callback that the sign-in began with. */
async function addKey(
  { completes }: Pick<KeptSignIn, "completes">,
  request: AuthRequest,
): Promise<NonNullable<ProvenSignIn["completes"]>> {
  return { ...completes, keys: [...(completes?.keys ?? []), await toCompletionKey(request), stepPage].filter(Boolean) }
}

/**
 * Ends a session that began while all sessions of its user ended, with all devices: it and its own device came too late to
 * end with them.
 * @throws HeldExpired
 */
async function assertStillWaiting(
  held: PendingHold,
  started: readonly ResponseCookie[],
  { request, context, tools }: Visit,
): Promise<void> {
  try {
    await assertWaiting(held, tools)
  } catch (error) {
    await context.sessions.end({ ...request, cookies: toSetJar(started) })
    throw error
  }
}

interface Admitted {
  /** Of a sign-in that was held: an app's own method may use codes, too, which are a factor each. */
  readonly leastFactors?: number
  /** What the user gave for it. */
  readonly given?: readonly AuthMethod[]
  /** Called with the cookies of the session before the host is told about it. Returns cookies to add. */
  readonly finish?: (started: readonly ResponseCookie[]) => Promise<readonly ResponseCookie[]>
}

/** Starts the session, and notes when and how the user proved who they are. */
async function admitWith(
  signIn: ProvenSignIn,
  visit: Visit,
  { leastFactors = 1, given = [], finish }: Admitted = {},
): Promise<Reply> {
  const { request, context, tools } = visit
  // Before the session starts: a slow store must not make the proof look younger than it is.
  const time = systemClock()
  const { renewTokens, rememberStart, rememberFlow } = findStartHooks(request, context)
  const reply = await startSession(signIn, request, {
    sessions: context.sessions,
    events: context.events.of(request),
    renewTokens,
    rememberFlow,
    async rememberStart(signedIn, started) {
      const { cookies = [], ...extras } = (await rememberStart?.(signedIn, started)) ?? {}
      return { ...extras, cookies: [...cookies, ...((await finish?.(started)) ?? [])] }
    },
  })
  const { user, account, isAccountAdded, moved } = signIn.signedIn
  // A session of another library proves nothing now: it may have begun long ago.
  const methods = moved ? given : (signIn.signedIn.achieved as readonly AuthMethod[])
  const userId = toIdText(user.id)
  const factors = Math.max(moved ? 0 : leastFactors, countFactors(methods))
  // An account that was added to the user of a session does not re-authenticate them: a thief can add their own.
  const isProof = userId !== "" && isAccountAdded !== true && factors > 0
  const proof: SessionProof = { methods, factors, time, provider: account.provider }
  return {
    ...reply,
    cookies: [
      ...(reply.cookies ?? []),
      ...(isProof ? [await tools.proofCookie.write(userId, [proof])] : []),
      ...tools.holds.clear(request.cookies),
    ],
  }
}

/** Whether the host trusts the provider to have asked for a second factor: by the claims of its verified ID token alone. */
async function findTrusted(
  { account }: ProvenSignIn["signedIn"],
  { trust }: SecondFactorSettings,
  { providers }: Pick<ActionContext, "providers">,
): Promise<readonly AuthMethod[]> {
  const isTrusted = Object.hasOwn(trust, account.provider) ? trust[account.provider] : undefined
  const provider = providers.get(account.provider)
  const { id_token: idToken } = account
  // A profile from elsewhere is not signed.
  if (!isTrusted || !provider || !isSigned(provider) || typeof idToken !== "string") return []
  const { parseSignedToken } = await import("../../oauth/jws.js")
  // Not the profile, which also has claims of the userinfo endpoint. They say nothing about this sign-in.
  const { claims } = parseSignedToken(idToken)
  const ask = () => isTrusted(claims)
  return (await runApp(`secondFactors.trust.${account.provider}`, ask, [claims])) === true ? ["mfa"] : []
}

/** Whether the profile of a provider is the claims of an ID token, which the flow verified. */
export function isSigned(provider: ResolvedProvider): boolean {
  return "idToken" in provider && provider.idToken === true && isOpenIdProvider(provider)
}
