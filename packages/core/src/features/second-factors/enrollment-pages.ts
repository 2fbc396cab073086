import { toError } from "../../errors/auth-error.js"
import { InvalidRequest, SecondFactorWrong } from "../../errors/errors.js"
import { isPage } from "../../http/accept.js"
import { type CookieJar, toSetJar } from "../../http/cookies.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { noStore, type Reply, redirect, withQuery } from "../../http/response.js"
import { readSessionCookies } from "../../session/cookies.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, Route } from "../feature.js"
import { toPage } from "../page.js"
import { askToSignIn, openVisit, type SignedInVisit } from "../visit.js"
import { createKey, openTicket, StaleSetup, setUpTotp, type TotpSetup } from "./enrollment.js"
import type { Visit } from "./gate.js"
import { findUnsaved, type NamedUser, noteSaved, toEnrollee } from "./own-factors.js"
import { type EnrollContent, renderCodesGonePage, renderEnrollPage, renderRecoveryCodesPage } from "./page.js"
import {
  type KeptCodes,
  type Place,
  type SetupKey,
  type ShownCodes,
  toCookiePlace,
  toSessionPlace,
  toVisitPlace,
} from "./shown-again.js"
import { toFactorFrame } from "./stylesheet.js"
import { openTools } from "./tools.js"

/** What went wrong with the last code, in the URL of the page with the key. */
const wrongCode = "SecondFactorWrong"
const staleSetup = "StaleSetup"

interface SetupContent extends Pick<EnrollContent, "action" | "fields" | "exit"> {
  readonly user: NamedUser
  readonly place: Place
}

/**
 * The page on which an authenticator app is set up: during a sign-in, before a change, and in the account area. It shows the
 * same key whenever it is loaded, until that is confirmed.
 */
export async function showSetup({ user, place, ...content }: SetupContent, visit: Visit): Promise<Reply> {
  const { request, context } = visit
  const { setup, cookies: kept } = await openSetup({ user, place }, visit)
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const error = request.url.searchParams.get("error")
  const state = { setup, csrfToken, isWrong: error === wrongCode, isStale: error === staleSetup }
  const page = renderEnrollPage({ ...content, ...state }, await toFactorFrame(request, context))
  return toPage(page, context, { cookies: [...cookies, ...kept], runsScript: true })
}

/** A setup, and the cookies for which the same key is shown again. */
export async function openSetup(
  { user, place }: Pick<SetupContent, "user" | "place">,
  visit: Visit,
): Promise<{ readonly setup: TotpSetup; readonly cookies: readonly ResponseCookie[] }> {
  const { request, context, tools } = visit
  const key = (await findOpenKey(place, visit)) ?? (await createKey(tools))
  const setup = await setUpTotp(toEnrollee(user, request, context), key, tools, context.secrets)
  return { setup, cookies: [await tools.shown.keepKey(key, place)] }
}

/** The key that this browser was shown, unless it was confirmed since: a copy of the cookie must not show it again. */
async function findOpenKey(place: Place, { request, tools }: Visit): Promise<SetupKey | null> {
  const key = await tools.shown.findKey(request.cookies, place)
  return key && (await isConfirmed(key, place, tools)) ? null : key
}

async function isConfirmed({ id }: SetupKey, { userId }: Place, { store }: Visit["tools"]): Promise<boolean> {
  return (await store.listFactors(userId)).some((row) => row.id === id)
}

interface SetupPage {
  readonly url: string
  readonly place: Place
  /** Where a form leads that is sent again after the setup. Default: to the page. */
  readonly doneUrl?: string
}

/**
 * Leads back to the page with the key after a wrong code, or to one with another key if that of the form is too old. Scripts
 * get the error.
 */
export async function toSetupAgain(thrown: unknown, { url, place, doneUrl }: SetupPage, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const isStale = thrown instanceof StaleSetup
  const isWrong = thrown instanceof SecondFactorWrong
  if (!(isStale || isWrong) || !isPage(request)) throw thrown
  context.log.errorOnce(thrown, { ...request, userId: place.userId })
  const text = findField(request, "ticket") ?? ""
  const key = await openTicket(text, place.userId, context.secrets).catch(() => null)
  const isDone = key !== null && (await isConfirmed(key, place, tools))
  if (isDone && doneUrl !== undefined) return redirect(doneUrl)
  if (isStale || !key) return redirect(withQuery(url, { error: isDone ? undefined : staleSetup }))
  // Of several tabs, that of the form counts.
  return redirect(withQuery(url, { error: wrongCode }), { cookies: [await tools.shown.keepKey(key, place)] })
}

/** The route with new recovery codes. */
const codesPath = "second-factor/codes"

interface CodesTarget {
  readonly userId: string
  /** Where their page leads. */
  readonly url: string
  /** The reply so far: its cookies may have the session. */
  readonly cookies?: readonly ResponseCookie[]
}

/** Leads to the page with new recovery codes. They are in no URL. */
export async function toCodesPage(created: ShownCodes, target: CodesTarget, visit: Visit): Promise<Reply> {
  const { request, context, tools } = visit
  const { userId, url, cookies = [] } = target
  const place = await findPlace(userId, cookies, visit)
  // Some addresses are too long for a cookie.
  const kept =
    (await tools.shown.keepCodes({ ...created, url }, place)) ??
    (await tools.shown.keepCodes({ ...created, url: request.url.origin }, place))
  const set = [...cookies, ...tools.shown.forgetKey(request.cookies), ...(kept ? [kept] : [])]
  return redirect(context.actionUrl(request, codesPath), { cookies: set })
}

/** The session that a reply begins, else that of the request. */
async function findPlace(
  userId: string,
  cookies: readonly ResponseCookie[],
  { request, context }: Visit,
): Promise<Place> {
  const { sessions, log } = context
  const started = { ...request, cookies: toSetJar(cookies) }
  try {
    const session = (await sessions.identify?.(started)) ?? (await sessions.identify?.(request))
    return toSessionPlace(userId, session?.id)
  } catch (error) {
    // The session has started: without the page, its user would have an app and no codes.
    log.errorOnce(toError(error), request)
    const [begun, former] = [started, request].map(({ cookies: jar }) => readOwnSession(jar, context))
    return toCookiePlace(userId, begun?.length ? begun : (former ?? []))
  }
}

const readOwnSession = (jar: CookieJar, { cookies }: ActionContext) =>
  readSessionCookies(jar, cookies.sessionToken.name)

const toOwnCookiePlace = ({ userId, request, context }: SignedInVisit) =>
  toCookiePlace(userId, readOwnSession(request.cookies, context))

interface CodesVisit extends SignedInVisit {
  readonly kept: KeptCodes | null
  /** The cookie that keeps the codes for the session from now on, if they were kept for its cookie. */
  readonly cookies: readonly ResponseCookie[]
}

/** The user of the session, with the codes that this session may still be shown. Null when signed out. */
async function openCodes(request: AuthRequest, context: ActionContext): Promise<CodesVisit | null> {
  const tools = openTools(context)
  const visit = await openVisit(request, context)
  if (!visit) return null
  const place = toVisitPlace(visit)
  const known = await tools.shown.findCodes(request.cookies, place)
  const kept = known ?? (await tools.shown.findCodes(request.cookies, await toOwnCookiePlace(visit)))
  const isUnsaved = kept ? (await findUnsaved(kept.id, visit.userId, tools)) !== null : false
  if (!kept || !isUnsaved) return { ...visit, kept: null, cookies: [] }
  // Its cookie changes when the session is extended.
  const again = known ? null : await tools.shown.keepCodes(kept, place)
  return { ...visit, kept, cookies: again ? [again] : [] }
}

/** `GET second-factor/codes`: new recovery codes, until their user has saved them. Other paths only have forms. */
export const showCodes: Route = async (request, context) => {
  if (!isPage(request)) throw new InvalidRequest("The path takes POST alone", 405, { allow: "POST" })
  if (request.providerId !== "codes") return redirect(context.actionUrl(request, "second-factor"))
  const visit = await openCodes(request, context)
  if (!visit) return askToSignIn(request, context, undefined)
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const frame = await toFactorFrame(request, context)
  const { kept } = visit
  if (!kept) return toPage(renderCodesGonePage(toAccount(request, context), frame), context, { cookies })
  const action = context.actionUrl(request, codesPath)
  const page = renderRecoveryCodesPage({ codes: kept.codes, csrfToken, action }, frame)
  return toPage(page, context, { cookies: [...cookies, ...visit.cookies], runsScript: true })
}

/** `POST second-factor/codes`: `action=download` for a file, else the user has saved them and goes on. */
export async function submitCodes(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const isFile = findField(request, "action") === "download"
  if (isFile && !isPage(request)) throw new InvalidRequest("The file is for browsers")
  const visit = await openCodes(request, context)
  if (!visit) return askToSignIn(request, context, undefined)
  const { kept, user, userId } = visit
  if (!kept) return redirect(context.actionUrl(request, codesPath))
  if (isFile) return toFile(kept, user.email, { request, context })
  const tools = openTools(context)
  await noteSaved(kept.id, userId, tools)
  return redirect(kept.url, { cookies: tools.shown.forgetCodes(request.cookies) })
}

/** Where to create new codes, if there is such a page. */
function toAccount(request: AuthRequest, context: ActionContext): string | undefined {
  const hasArea = context.features.some(({ pages }) => pages && "account/factors" in pages)
  return hasArea ? context.actionUrl(request, "account/factors") : undefined
}

async function toFile(
  { codes }: KeptCodes,
  email: string,
  { request, context }: Pick<Visit, "request" | "context">,
): Promise<Reply> {
  const { siteName } = await toFactorFrame(request, context)
  const headers = { ...noStore, "content-disposition": 'attachment; filename="recovery-codes.txt"' }
  return { body: { kind: "text", text: `${[siteName, email, "", ...codes].join("\r\n")}\r\n` }, headers }
}
