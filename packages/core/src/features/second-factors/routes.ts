import { AuthError, toError } from "../../errors/auth-error.js"
import { CallbackRouteError, HeldExpired, InvalidRequest, SecondFactorWrong } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { json, noStore, Refusal, type Reply, redirect } from "../../http/response.js"
import { isPasskeyProvider } from "../../methods/reauthentication.js"
import type { Limits } from "../../rate-limit/limiter.js"
import type { ResolvedProvider } from "../../types/resolved.js"
import type { ActionContext, RouteMethods } from "../feature.js"
import { notifyUser } from "../notices.js"
import { toFrame, toPage } from "../page.js"
import { answer, guarded, limited } from "../route.js"
import { type ConfirmMethod, rank, toForm as toProviderForm } from "./confirm-methods.js"
import { renderConfirmPage } from "./confirm-page.js"
import { confirmTotp, type Enrolled, openTicket, takeBack } from "./enrollment.js"
import { openSetup, showCodes, showSetup, submitCodes, toCodesPage, toSetupAgain } from "./enrollment-pages.js"
import { type CodeFactor, readCode, spendCode } from "./factor.js"
import { assertWaiting, resume, type Visit } from "./gate.js"
import type { PendingHold } from "./hold.js"
import { hasSecondFactor, noteRecovery, tellChange } from "./own-factors.js"
import { type Exit, type PasskeyContent, renderCodePage, renderPasskeyPage } from "./page.js"
import { countLeft } from "./recovery-codes.js"
import { toHeldPlace } from "./shown-again.js"
import { findCodeFactor, findTotp, listKinds, openTools, type SecondFactorKind, type Tools } from "./tools.js"
import type { TotpFactor } from "./totp.js"
import { listUnproved } from "./unproved.js"

/** The step between the first proof and the session. */
export const secondFactorRoutes: Readonly<Record<"second-factor" | "second-factor/*", RouteMethods>> = {
  "second-factor": { GET: showStep },
  "second-factor/*": { GET: showCodes, POST: guarded(limited("callback", submit)) },
}

/** `GET second-factor`: asks for what the sign-in of this browser waits for. `?kind=recovery` asks for a recovery code. */
async function showStep(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const pending = await getPending(request, tools)
  const visit: Visit = { request, context, tools }
  const { step, kinds, providers } = await findStep(pending, visit)
  if (!isPage(request)) return describeStep(pending, { step, kinds, providers }, visit)
  if (step === "enroll") return enrollHere(pending, visit)
  const others = providers.filter((provider) => !isPasskeyProvider(provider))
  if (others.length > 0) return showWays(pending, { kinds, providers }, visit)
  const isWrong = request.url.searchParams.get("error") === "SecondFactorWrong"
  return showFactor(pending, { kinds, isWrong }, visit)
}

/** The step for clients with a form of their own, with what its page has. */
async function describeStep(pending: PendingHold, { step, kinds: own, providers }: Step, visit: Visit): Promise<Reply> {
  const { remember } = visit.tools.settings
  const hasOther = step === "second-factor" && providers.length === 0 && !own.includes("passkey")
  // The page offers a passkey in place of a code, too. Recovery codes stay the last resort.
  const isOffered = hasOther && (await findPasskeyProvider(pending.userId, visit)) !== undefined
  const kinds = isOffered ? [...own.filter((kind) => kind !== "recovery"), "passkey", ...own.filter(isRecovery)] : own
  const days = step === "second-factor" && kinds.includes("totp") && remember ? remember.days : undefined
  const facts = { step, kinds, rememberDays: days, ...(providers.length > 0 && { providers: toIds(providers) }) }
  if (step !== "enroll") return answer(200, facts)
  const { setup, cookies } = await openSetup(await toSetupPlace(pending, visit), visit)
  return json({ ...facts, setup }, { cookies, headers: noStore })
}

const isRecovery = (kind: SecondFactorKind["kind"]): boolean => kind === "recovery"

async function toSetupPlace(pending: PendingHold, { tools }: Visit) {
  const { userId } = pending
  return { user: { user: (await tools.store.getUser(userId)) ?? {}, userId }, place: toHeldPlace(pending) }
}

const toIds = (providers: readonly ResolvedProvider[]) => providers.map(({ id }) => id)

interface Step extends Pick<PendingHold, "step"> {
  readonly kinds: readonly SecondFactorKind["kind"][]
  /** Of a user without a second factor: what they prove before they set one up. */
  readonly providers: readonly ResolvedProvider[]
}

/** What a sign-in waits for now: the user may have added or removed something since it began. */
async function findStep(pending: PendingHold, { context, tools }: Visit): Promise<Step> {
  const kinds = await listKinds(pending.userId, tools)
  if (kinds.some((kind) => kind !== "recovery")) return { step: pending.step, kinds, providers: [] }
  const providers = await listUnproved(pending, context, tools)
  if (providers.length === 0) return { step: pending.step, kinds, providers }
  return { step: "second-factor", kinds: providers.some(isPasskeyProvider) ? ["passkey", ...kinds] : kinds, providers }
}

interface FactorState extends Pick<Step, "kinds"> {
  readonly isWrong: boolean
}

/** Asks for one of several other ways to sign in. */
async function showWays(pending: PendingHold, { kinds, providers }: Omit<Step, "step">, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const user = (await tools.store.getUser(pending.userId)) ?? { email: "" }
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const { url: callbackUrl } = await context.callbackUrls.resolve(request)
  const codes = kinds.filter((kind) => kind !== "passkey")
  const forms = await Promise.all(providers.map((provider) => toProviderForm(provider, { user }, request, context)))
  const methods: readonly ConfirmMethod[] = [
    ...forms.map((model) => ({ kind: "form", id: model.id, model }) as const),
    ...codes.map((id) => ({ kind: "code", id }) as const),
  ]
  const page = renderConfirmPage(
    {
      methods: rank(methods),
      csrfToken,
      isStarted: true,
      callbackUrl,
      toAction: (id) =>
        context.actionUrl(request, codes.some((code) => code === id) ? `second-factor/${id}` : `callback/${id}`),
      email: user.email,
      wrong: null,
      signInUrl: context.actionUrl(request, "signin"),
      exit: toSignIn(request, context),
    },
    await toFrame(request, context),
  )
  return toPage(page, context, { cookies })
}

/** For a user who does not want to give what is asked for. */
function toSignIn(request: AuthRequest, context: ActionContext): Exit {
  return { url: context.actionUrl(request, "signin"), text: (translate) => translate("link.other") }
}

async function showFactor(pending: PendingHold, { kinds, isWrong }: FactorState, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const asked = request.url.searchParams.get("kind")
  const codes = kinds.filter((each) => each !== "passkey")
  const kind = codes.find((each) => each === asked) ?? (asked === null && kinds[0] === "passkey" ? undefined : codes[0])
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const signInUrl = context.actionUrl(request, "signin")
  const passkey = await findPasskey(pending, csrfToken, visit)
  const other = codes.find((each) => each !== kind)
  const otherUrl = other && context.actionUrl(request, `second-factor?kind=${other}`)
  const frame = await toFrame(request, context)
  if (!kind) {
    // The user, or an administrator, removed the factor meanwhile.
    if (!passkey) throw new HeldExpired("The user of the sign-in no longer has a second factor")
    return toPage(renderPasskeyPage(passkey, { otherUrl, signInUrl }, frame), context, { cookies })
  }
  const rememberDays = tools.settings.remember ? tools.settings.remember.days : undefined
  const action = context.actionUrl(request, `second-factor/${kind}`)
  const form = { csrfToken, action, isWrong, signInUrl }
  const page = renderCodePage({ ...form, kind, otherUrl, passkey, rememberDays }, frame)
  return toPage(page, context, { cookies })
}

/** The form for a passkey of the user, which needs no code besides. Undefined if there is none. */
async function findPasskey(
  { userId }: PendingHold,
  csrfToken: string | undefined,
  { request, context, tools }: Visit,
): Promise<PasskeyContent | undefined> {
  const provider = await findPasskeyProvider(userId, { context, tools })
  if (!provider) return undefined
  const user = await tools.store.getUser(userId)
  const model = user && (await toProviderForm(provider, { user }, request, context))
  if (model?.kind !== "passkey") return undefined
  const { url: callbackUrl } = await context.callbackUrls.resolve(request)
  return { model, hidden: { csrfToken, callbackUrl } }
}

/** The provider of passkeys, for a user who has one. */
async function findPasskeyProvider(
  userId: string,
  { context, tools }: Pick<Visit, "context" | "tools">,
): Promise<ResolvedProvider | undefined> {
  const provider = [...context.providers.values()].find(isPasskeyProvider)
  return provider && (await tools.store.listAuthenticatorsByUserId(userId)).length > 0 ? provider : undefined
}

async function enrollHere(pending: PendingHold, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const action = context.actionUrl(request, "second-factor/enroll")
  return showSetup({ action, ...(await toSetupPlace(pending, visit)), exit: toSignIn(request, context) }, visit)
}

/**
 * `POST second-factor/<kind>` with `code`, `POST second-factor/enroll` with `code` and `ticket`, or a form of the page with
 * new recovery codes.
 */
function submit(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (request.providerId === "codes") return submitCodes(request, context)
  return request.providerId === "enroll" ? enroll(request, context) : giveCode(request, context)
}

async function giveCode(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const factor = findCodeFactor(request.providerId, tools.settings)
  if (!factor) throw new InvalidRequest("There is no second factor of this kind")
  const pending = await getPending(request, tools, "second-factor")
  const code = await readCode(findField(request, "code") ?? "", { factor, userId: pending.userId }, tools)
  if (code === null) return refuseCode(factor.kind, pending, request, context)
  const attempt = await countAttempt(factor, pending, { request, context, tools })
  const spent = await spendCode({ factor, userId: pending.userId, code }, tools)
  if (!spent) return refuseCode(factor.kind, pending, request, context)
  await attempt.succeed()
  if (factor.kind === "recovery") {
    await noteRecovery({ userId: pending.userId, left: countLeft(spent.secret) }, request, context, pending)
  }
  const canRemember = factor.kind === "totp" && tools.settings.remember !== false
  const isRemembered = canRemember && isChecked(findField(request, "remember"))
  return complete(factor, { request, context, tools }, isRemembered)
}

/** Browsers send the value of a checkbox. */
const isChecked = (value: string | undefined): boolean => value === "true"

/**
 * Counts before the code is checked, so that parallel guesses cannot exceed the budgets. Each kind has its own. The hold
 * first: once its five tries are used, it must not use up the budgets of its user, too.
 */
async function countAttempt(
  { kind }: CodeFactor,
  pending: PendingHold,
  { request, context, tools }: Visit,
): ReturnType<Limits["tryUser"]> {
  await tools.holds.countAttempt(pending)
  return context.limits.tryUser({ userId: pending.userId, secret: `second factor ${kind}` }, request)
}

/** `POST second-factor/enroll`: stores the user's first factor, and leads to recovery codes before the app. */
async function enroll(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const pending = await getPending(request, tools, "enroll")
  const { userId } = pending
  // Also for a copy of a sign-in that was completed: only the first factor can be set up without a session.
  if (await hasSecondFactor(userId, tools)) throw new HeldExpired("The user has set up a factor meanwhile")
  const unproved = await listUnproved(pending, context, tools)
  if (unproved.length > 0) throw new HeldExpired("The user has something else to prove before a factor is set up")
  const totp = findTotp(tools.settings)
  if (!totp) throw new InvalidRequest("There is no second factor of this kind")
  const visit: Visit = { request, context, tools }
  try {
    const ticket = await openTicket(findField(request, "ticket") ?? "", userId, context.secrets)
    const enrolled = await confirmTotp({ userId, ticket, code: findField(request, "code") ?? "" }, tools)
    await tellChange("factorAdded", { userId, kind: totp.kind }, request, context)
    const reply = await completeEnrolled(enrolled, totp, visit)
    await notifyUser({ kind: "factor-added", userId }, request, context)
    const { redirect: url = "", cookies = [] } = reply
    const { created } = enrolled
    if (!created) return { ...reply, cookies: [...cookies, ...tools.shown.forgetKey(request.cookies)] }
    const page = await toCodesPage(created, { userId, url, cookies }, visit)
    if (isPage(request)) return page
    // The page has them again, for a client that is loaded again.
    return json({ url, recoveryCodes: created.codes }, { cookies: page.cookies ?? [], headers: noStore })
  } catch (error) {
    return toSetupAgain(error, { url: context.actionUrl(request, "second-factor"), place: toHeldPlace(pending) }, visit)
  }
}

/**
 * Completes the sign-in of a user who will see their recovery codes after it. If it cannot be completed, the app is not set up
 * either: its user would have no codes, and may be a thief whose sign-in was ended.
 */
async function completeEnrolled({ factor }: Enrolled, totp: TotpFactor, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  try {
    return await complete(totp, visit)
  } catch (error) {
    await takeBack(factor, tools)
    await tellChange("factorRemoved", factor, request, context)
    throw error
  }
}

/** Errors of the host's code are logged with the provider's id, as after a sign-in without a second factor. */
async function complete({ method }: Pick<CodeFactor, "method">, visit: Visit, isRemembered = false): Promise<Reply> {
  try {
    return await resume([method], visit, isRemembered)
  } catch (error) {
    throw error instanceof AuthError
      ? error
      : new CallbackRouteError({ err: toError(error), ...because("callback-threw") })
  }
}

/** @throws HeldExpired if this browser has no sign-in that waits for the step, or it has ended */
async function getPending(request: AuthRequest, tools: Tools, step?: PendingHold["step"]): Promise<PendingHold> {
  const pending = await tools.holds.find(request.cookies)
  if (!pending || (step !== undefined && pending.step !== step)) {
    throw new HeldExpired(
      "The browser has no sign-in that waits for this step, it waited too long, or a process with another secret began it",
    )
  }
  await assertWaiting(pending, tools)
  return pending
}

function refuseCode(kind: string, { userId }: PendingHold, request: AuthRequest, context: ActionContext): Reply {
  const error = new SecondFactorWrong("The code is wrong, or was used before")
  if (!isPage(request)) throw new Refusal(error, [], userId)
  context.log.errorOnce(error, { ...request, userId })
  return redirect(context.actionUrl(request, `second-factor?kind=${kind}&error=${error.type}`))
}
