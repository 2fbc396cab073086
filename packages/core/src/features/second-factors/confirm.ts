import type { AuthMethod } from "../../account/proof.js"
import { areEnough, findRecent } from "../../account/session-proofs.js"
import { CredentialsSignin, InvalidRequest, SecondFactorWrong, TooManyRequests } from "../../errors/errors.js"
import { isPage } from "../../http/accept.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { type Reply, redirect, withQuery } from "../../http/response.js"
import { isAnsweredAtOnce } from "../../methods/reauthentication.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import { type ActionContext, getProvider, type RouteMethods } from "../feature.js"
import { toFrame, toPage } from "../page.js"
import { answer, guarded, limited } from "../route.js"
import { askToSignIn, openVisit, type SignedInVisit } from "../visit.js"
import { type Confirming, listConfirmMethods } from "./confirm-methods.js"
import { renderConfirmPage } from "./confirm-page.js"
import { showSetup, toCodesPage, toSetupAgain } from "./enrollment-pages.js"
import { type CodeFactor, readCode, spendCode } from "./factor.js"
import type { Visit } from "./gate.js"
import { type CurrentUser, hasSecondFactor, needsTwo, noteProof, noteRecovery, ownFactors } from "./own-factors.js"
import type { Exit } from "./page.js"
import { countLeft } from "./recovery-codes.js"
import { toVisitPlace } from "./shown-again.js"
import { findCodeFactor, openTools, type Tools } from "./tools.js"

/** The page where a signed-in user re-authenticates. */
export const confirmRoutes: Readonly<Record<"confirm" | "confirm/*", RouteMethods>> = {
  confirm: { GET: show },
  "confirm/*": { GET: showAgain, POST: guarded(limited("callback", confirm)) },
}

/** `GET confirm/<kind>`, as a browser asks for it that was answered there: the page with the form. */
function showAgain(request: AuthRequest, context: ActionContext): Reply {
  if (!isPage(request)) throw new InvalidRequest("The path takes POST alone", 405, { allow: "POST" })
  return redirect(context.actionUrl(request, `confirm${request.url.search}`))
}

/**
 * `GET confirm?callbackUrl=…`: asks for what is missing, or goes on. `max_age` in seconds, `factors` and
 * `phishing_resistant=true` say what is required, and `again=true` that former proofs do not count. They only decide what the page asks for: the code that requires a proof checks it.
 */
async function show(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const found = await openVisit(request, context)
  if (!found) return askToSignIn(request, context, findCallbackUrl(request))
  const confirming = await open(found, request, context, tools)
  const isFresh = areEnough(confirming.recent, confirming.requirement)
  const target = await context.callbackUrls.resolve(request)
  const methods = isFresh ? [] : await listConfirmMethods(confirming, request, context, tools)
  if (!isPage(request)) {
    return {
      ...answer(200, { isFresh, methods: methods.map(({ id }) => id), url: target.url }),
      cookies: target.cookies,
    }
  }
  if (isFresh) return redirect(target.url, { cookies: target.cookies })
  const isStarted = areEnough(confirming.recent, { factors: 1 })
  if (methods.length === 0 && isStarted && !confirming.requirement.phishingResistant) {
    return enrollHere(found, { request, context, tools })
  }
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const here = toHere(request, target.url)
  const frame = await toFrame(request, context)
  const page = renderConfirmPage(
    {
      asked: await context.features[0]?.frame.findTitle(target.url, request, context, frame),
      methods,
      csrfToken,
      isStarted,
      callbackUrl: context.actionUrl(request, `confirm${here}`),
      toAction: (id) => context.actionUrl(request, `confirm/${encodeURIComponent(id)}${here}`),
      email: found.user.email,
      wrong: request.url.searchParams.get("wrong"),
      signInUrl: toSignInUrl(request, context),
      exit: toSitePage(request),
    },
    frame,
  )
  return toPage(page, context, { cookies: [...cookies, ...target.cookies] })
}

function toSignInUrl(request: AuthRequest, context: ActionContext): string {
  return withQuery(context.actionUrl(request, "signin"), { callbackUrl: findCallbackUrl(request) })
}

const findCallbackUrl = ({ url }: AuthRequest): string | undefined => url.searchParams.get("callbackUrl") ?? undefined

async function open(
  found: CurrentUser,
  request: AuthRequest,
  { config: { freshFor } }: ActionContext,
  tools: Tools,
): Promise<Confirming> {
  const { searchParams } = request.url
  const maxAge = Number(searchParams.get("max_age"))
  const factors = searchParams.get("factors") ?? ((await needsTwo(found, tools)) ? "2" : "1")
  const requirement = {
    maxAgeSeconds: Number.isInteger(maxAge) && maxAge > 0 ? maxAge : freshFor,
    factors: factors === "2" ? (2 as const) : (1 as const),
    phishingResistant: searchParams.get("phishing_resistant") === "true",
  }
  const proofs = await tools.proofCookie.read(request.cookies, found.userId)
  const maySetUp = requirement.factors === 2 && !(await hasSecondFactor(found.userId, tools))
  // To set up the missing factor takes a fresh proof.
  const age = {
    maxAgeSeconds: Math.min(requirement.maxAgeSeconds, maySetUp ? freshFor : Number.POSITIVE_INFINITY),
  }
  const isAskedAgain = searchParams.get("again") === "true"
  return { ...found, proofs, recent: isAskedAgain ? [] : findRecent(proofs, age, systemClock()), requirement }
}

/** The query of this page, for its forms. */
function toHere({ url }: AuthRequest, callbackUrl: string): string {
  const { searchParams } = url
  const keep = (name: string) => searchParams.get(name) ?? undefined
  const query = { max_age: keep("max_age"), factors: keep("factors"), phishing_resistant: keep("phishing_resistant") }
  return withQuery("", { callbackUrl, ...query })
}

/** Lets a user set up the second factor that is required, who has proved one. */
async function enrollHere(user: SignedInVisit, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const target = await context.callbackUrls.resolve(request)
  const action = context.actionUrl(request, `confirm/enroll${toHere(request, target.url)}`)
  return showSetup({ action, user, place: toVisitPlace(user), exit: toSitePage(request) }, visit)
}

/** For a user who does not want to confirm. Not to the target, which would only lead back here. */
function toSitePage({ url }: AuthRequest): Exit {
  return { url: url.origin, text: (translate) => translate("confirm.back") }
}

/** `POST confirm/<kind>` with `code`, `POST confirm/<provider>` with the fields of a password, or `POST confirm/enroll`. */
async function confirm(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const tools = openTools(context)
  const found = await openVisit(request, context)
  if (!found) return askToSignIn(request, context, findCallbackUrl(request))
  if (request.providerId === "enroll") return enroll(found, { request, context, tools })
  try {
    return await goOn(found, await prove(found, request, context, tools), { request, context, tools })
  } catch (error) {
    const isWrong = error instanceof SecondFactorWrong || error instanceof CredentialsSignin
    if (!isWrong || !isPage(request)) throw error
    context.log.errorOnce(error, { ...request, userId: found.userId })
    const target = await context.callbackUrls.resolve(request)
    const page = context.actionUrl(request, `confirm${toHere(request, target.url)}`)
    return redirect(withQuery(page, { wrong: request.providerId }), { cookies: target.cookies })
  }
}

/** Notes the proof, and gives the session a new token (OWASP ASVS 7.2.4). */
async function goOn(found: CurrentUser, methods: readonly AuthMethod[], visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const { sessions, callbackUrls, log } = context
  const proof = await noteProof(methods, found.userId, request, tools)
  const renewed = sessions.renew ? await sessions.renew(request) : (await sessions.check(request)).cookies
  log.record({ kind: "confirmed", userId: found.userId }, request)
  const target = await callbackUrls.resolve(request)
  const url = context.actionUrl(request, `confirm${toHere(request, target.url)}`)
  const cookies = [...target.cookies, ...renewed, proof]
  return redirect(url, { cookies })
}

/** @throws SecondFactorWrong, CredentialsSignin */
async function prove(
  found: CurrentUser,
  request: AuthRequest,
  context: ActionContext,
  tools: Tools,
): Promise<readonly AuthMethod[]> {
  const factor = findCodeFactor(request.providerId, tools.settings)
  if (factor) return proveByCode(factor, found, { request, context, tools })
  const provider = await getProvider(request.providerId, context)
  if (!isAnsweredAtOnce(provider)) throw new InvalidRequest("Sign in again with this provider")
  const steps = await context.loadSteps(provider)
  const outcome = await steps.prove(request, provider)
  const isOwn = "proof" in outcome && isSameId(outcome.proof.candidate.id, found.userId)
  // The same as for a wrong password: it is not the one of this user.
  if (!isOwn) throw new CredentialsSignin("The password is not that of the signed-in user", { provider: provider.id })
  return outcome.proof.achieved
}

async function proveByCode(
  factor: CodeFactor,
  { userId }: CurrentUser,
  { request, context, tools }: Visit,
): Promise<readonly AuthMethod[]> {
  const wrong = () => new SecondFactorWrong("The code is wrong, or was used before")
  const code = await readCode(findField(request, "code") ?? "", { factor, userId }, tools)
  if (code === null) throw wrong()
  await countConfirmation(userId, tools)
  const attempt = await context.limits.tryUser({ userId, secret: `second factor ${factor.kind}` }, request)
  const spent = await spendCode({ factor, userId, code }, tools)
  if (!spent) throw wrong()
  await attempt.succeed()
  if (factor.kind === "recovery") {
    await noteRecovery({ userId, left: countLeft(spent.secret) }, request, context)
  }
  return [factor.method]
}

const windowSeconds = 15 * 60
const maxConfirmations = 10

/**
 * Counts a code before it is compared, also where rate limits are off: a thief of a session has no sign-in whose tries
 * would run out.
 * @throws TooManyRequests
 */
async function countConfirmation(userId: string, { replayGuard }: Tools): Promise<void> {
  const now = Math.floor(systemClock() / 1000)
  const window = Math.floor(now / windowSeconds)
  for (let attempt = 1; attempt <= maxConfirmations; attempt++) {
    if (await replayGuard.consume(`confirm ${userId} ${window} ${attempt}`)) return
  }
  const retryAfterSeconds = (window + 1) * windowSeconds - now
  throw new TooManyRequests("Too many codes were tried in this session", { retryAfterSeconds })
}

async function enroll(found: SignedInVisit, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const fields = { ticket: findField(request, "ticket") ?? "", code: findField(request, "code") ?? "" }
  try {
    const own = ownFactors(context)
    const confirmed = await own.confirmTotp(request, fields)
    const next = await goOn(found, ["otp"], visit).catch(async (error: unknown) => {
      const { userId } = found
      // The first error says more than one of a store that fails again.
      if (confirmed) await own.takeBack(request, { id: confirmed.factor.id, userId }).catch(() => {})
      throw error
    })
    const { redirect: url = "", cookies = [] } = next
    if (!isPage(request)) return next
    if (confirmed?.created) return toCodesPage(confirmed.created, { userId: found.userId, url, cookies }, visit)
    return { ...next, cookies: [...cookies, ...tools.shown.forgetKey(request.cookies)] }
  } catch (error) {
    const target = await context.callbackUrls.resolve(request)
    const page = context.actionUrl(request, `confirm${toHere(request, target.url)}`)
    return toSetupAgain(error, { url: page, place: toVisitPlace(found) }, visit)
  }
}
