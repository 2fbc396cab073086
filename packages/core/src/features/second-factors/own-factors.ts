import type { AuthMethod } from "../../account/proof.js"
import { areEnough, countFactors, findRecent } from "../../account/session-proofs.js"
import { toError } from "../../errors/auth-error.js"
import { FreshnessRequired, InvalidRequest } from "../../errors/errors.js"
import type { CookieJar } from "../../http/cookies.js"
import type { AuditEvent } from "../../log/audit-event.js"
import type { NoticeKind } from "../../mail/own-sender.js"
import { toIdText } from "../../runtime/id.js"
import { toDate } from "../../runtime/merge.js"
import { systemClock } from "../../runtime/promise.js"
import { ownSessions } from "../../session/own-sessions.js"
import type { SessionRequest } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, FactorView } from "../feature.js"
import { notifyUser } from "../notices.js"
import { addProof } from "../proof-cookie.js"
import { openVisit, type SignedInVisit } from "../visit.js"
import { forgetDevices } from "./devices.js"
import {
  confirmTotp,
  createKey,
  type Enrollee,
  openTicket,
  replaceRecoveryCodes,
  setUpTotp,
  type TotpSetup,
  takeBack,
} from "./enrollment.js"
import { byAge, isFactor, toFactors } from "./factor.js"
import { endWaiting, isEnding, type PendingHold } from "./hold.js"
import { countLeft, isUnsaved, toSaved } from "./recovery-codes.js"
import type { ShownCodes } from "./shown-again.js"
import { hasPasskey, isDemanded, openTools, type Tools } from "./tools.js"
import { listUnproved } from "./unproved.js"

/** The first code of an authenticator app. */
export interface TotpConfirmation {
  /** From `beginTotp`. */
  readonly ticket: string
  readonly code: string
  /** A name for the app or the phone. At most 64 characters; the rest is cut off. */
  readonly label?: string | undefined
}

/** An authenticator app that was set up. */
export interface ConfirmedTotp {
  readonly factor: FactorView
  /** Show them once: they are not stored in a form that can be shown again. Null if the user has some already. */
  readonly recoveryCodes: readonly string[] | null
}

/** The same for our pages, which show the codes until they are saved. */
interface Confirmed {
  readonly factor: FactorView
  readonly created: ShownCodes | null
}

export function toConfirmedTotp({ factor, created }: Confirmed): ConfirmedTotp {
  return { factor, recoveryCodes: created?.codes ?? null }
}

/** What the user of a session can do with their second factors. Null when signed out. */
export interface OwnFactors {
  list(request: SessionRequest): Promise<readonly FactorView[] | null>
  /** @throws FreshnessRequired unless the user re-authenticated in the last ten minutes; the methods below too */
  beginTotp(request: SessionRequest): Promise<TotpSetup | null>
  /** @throws SecondFactorWrong for a wrong code; InvalidRequest for a ticket that cannot be used */
  confirmTotp(request: SessionRequest, confirmation: TotpConfirmation): Promise<Confirmed | null>
  /** Takes back what `confirmTotp` set up a moment ago, because the user sees an error in place of the recovery codes. */
  takeBack(request: SessionRequest, factor: Pick<AdapterFactor, "id" | "userId">): Promise<void>
  /** @throws InvalidRequest for a user without another factor, TooManyRequests for the second time within a minute */
  createRecoveryCodes(request: SessionRequest): Promise<ShownCodes | null>
  /** The cookies of a browser that has confirmed a setup: it has proved a second factor. */
  noteSetup(request: SessionRequest): Promise<readonly ResponseCookie[]>
  /** False for an id that is not one of the user's. @throws InvalidRequest for the last one where one is required */
  remove(request: SessionRequest, id: string): Promise<boolean | null>
}

/** @throws InvalidConfiguration without `secondFactors` */
export function ownFactors(context: ActionContext): OwnFactors {
  const tools = openTools(context)
  const findUser = (request: SessionRequest) => openVisit(request, context)
  const findFreshUser = (request: SessionRequest) => findFresh(request, context, tools)
  const findEnrollee = (request: SessionRequest) => findFresh(request, context, tools, mayEnroll)
  const tell: Tell = (kind, factor, request) => tellUser(kind, factor, request, context)

  return {
    async list(request) {
      const found = await findUser(request)
      return found && listViews(found.userId, tools)
    },

    async beginTotp(request) {
      const found = await findEnrollee(request)
      return found && setUpTotp(toEnrollee(found, request, context), await createKey(tools), tools, context.secrets)
    },

    async confirmTotp(request, { ticket, code, label }) {
      const found = await findEnrollee(request)
      if (!found) return null
      const { userId } = found
      const opened = await openTicket(ticket, userId, context.secrets)
      const { factor, created } = await confirmTotp({ userId, ticket: opened, code, label }, tools)
      if (!(await orTakeBack(factor, () => findUser(request), tools))) return null
      await tell("factorAdded", factor, request)
      return { factor: await toView(factor, tools), created }
    },

    async takeBack(request, factor) {
      await takeBack(factor, tools)
      await tell("factorRemoved", { ...factor, kind: "totp" }, request)
    },

    async noteSetup(request) {
      try {
        const found = await findUser(request)
        return found ? [await noteProof(["otp"], found.userId, request, tools)] : []
      } catch (error) {
        // The recovery codes are shown all the same. The user confirms who they are once more.
        context.log.errorOnce(toError(error), request)
        return []
      }
    },

    async createRecoveryCodes(request) {
      const found = await findFreshUser(request)
      const created = found && (await createOwnCodes(found.userId, request, context))
      if (created) await tell("factorAdded", { userId: found.userId, kind: "recovery" }, request)
      return created
    },

    async remove(request, id) {
      const found = await findFreshUser(request)
      return found && removeOwn(found, id, request, context)
    },
  }
}

/** A session that was ended meanwhile leaves no new factor behind: it may be the one of a thief. */
async function orTakeBack(
  factor: AdapterFactor,
  findUser: () => Promise<CurrentUser | null>,
  tools: Tools,
): Promise<boolean> {
  const found = await findUser().catch(async (error: unknown) => {
    await takeBack(factor, tools).catch(() => {}) // The first error says more.
    throw error
  })
  if (!found) await takeBack(factor, tools)
  return found !== null
}

/** Null if the session of the request ended meanwhile. */
async function createOwnCodes(
  userId: string,
  request: SessionRequest,
  context: ActionContext,
): Promise<ShownCodes | null> {
  const tools = openTools(context)
  const rows = await tools.store.listFactors(userId)
  if (!rows.some(isStrong) && !(await hasPasskey(userId, tools)))
    throw new InvalidRequest("Set up another second factor first: there is nothing to recover")
  return replaceRecoveryCodes(userId, tools, async () => (await openVisit(request, context)) !== null)
}

/** Removes a factor, and what a thief could use without it. One mail tells of all that is removed with it. */
async function removeOwn(
  found: CurrentUser,
  id: string,
  request: SessionRequest,
  context: ActionContext,
): Promise<boolean> {
  const tools = openTools(context)
  const { userId } = found
  const removed = await removeFactor(found, id, tools)
  const [first] = removed
  if (!first) return false
  for (const factor of removed) await tellChange("factorRemoved", factor, request, context)
  await endOthers(userId, request, context)
  await forgetDevices(userId, tools.store)
  await notifyUser({ kind: toNotice("factorRemoved", first.kind), userId }, request, context)
  return true
}

/** Records a change, and tells the host and the user about it. */
async function tellUser(
  change: ChangeEvent,
  factor: Changed,
  request: SessionRequest,
  context: ActionContext,
): Promise<void> {
  await tellChange(change, factor, request, context)
  await notifyUser({ kind: toNotice(change, factor.kind), userId: factor.userId }, request, context)
}

async function listViews(userId: string, tools: Tools): Promise<readonly FactorView[]> {
  return Promise.all((await listShown(userId, tools.store)).map((row) => toView(row, tools)))
}

function toNotice(change: ChangeEvent, kind: string): NoticeKind {
  if (kind === "recovery") return change === "factorAdded" ? "recovery-codes" : "recovery-codes-removed"
  return change === "factorAdded" ? "factor-added" : "factor-removed"
}

/** The factors of a user as they are listed: by age, recovery codes last. */
async function listShown(userId: string, store: Tools["store"]): Promise<readonly AdapterFactor[]> {
  const rows = toFactors(await store.listFactors(userId))
    .filter(isKnown)
    .sort(byAge)
  return [...rows.filter(isStrong), ...rows.filter((row) => !isStrong(row))]
}

/**
 * Removes a factor, and the recovery codes with the last one that they could replace. Returns what was removed.
 * @throws InvalidRequest for the last factor of a user who must have one
 */
async function removeFactor(
  { user, userId }: CurrentUser,
  id: string,
  tools: Tools,
): Promise<readonly AdapterFactor[]> {
  const { store, settings } = tools
  const rows = toFactors(await store.listFactors(userId))
  const row = rows.find((each) => each.id === id)
  if (!row) return []
  const hasKey = await hasPasskey(userId, tools)
  const isLast = isStrong(row) && rows.filter(isStrong).length === 1 && !hasKey
  const removed = isLast ? [row, ...rows.filter((other) => other !== row)] : [row]
  const left = rows.filter((each) => !removed.includes(each))
  const isBound = isSecondFactor(rows, hasKey) && (await isDemanded(user, settings))
  if (isBound && !isSecondFactor(left, hasKey)) throw new InvalidRequest(lastFactor)
  if (!isLast) await keepCodesOf(row, store)
  for (const each of removed) await store.deleteFactor(each.id)
  // Of two factors that are removed at once, each may have counted on the other.
  if (isBound && !(await hasSecondFactor(userId, tools))) {
    await store.createFactor(row)
    throw new InvalidRequest(lastFactor)
  }
  return removed
}

/** The recovery codes that were set up with a factor are of use to the others, too. */
async function keepCodesOf({ id: label, userId }: AdapterFactor, store: Tools["store"]): Promise<void> {
  const findSet = async () =>
    (await store.listFactors(userId)).find((row) => row.kind === "recovery" && row.label === label)
  // Once more if one of the codes was used meanwhile.
  for (let set = await findSet(), race = 0; set && race < 2; set = await findSet(), race++) {
    await store.changeFactor({ id: set.id, from: set.version, label: null })
  }
}

interface UnsavedCodes {
  readonly row: AdapterFactor
  /** Opened. */
  readonly secret: string
}

/** Recovery codes that may still be shown. Null once they are saved, used or replaced, even if a cookie names them. */
export async function findUnsaved(id: string, userId: string, { store, vault }: Tools): Promise<UnsavedCodes | null> {
  const row = toFactors(await store.listFactors(userId)).find((each) => each.id === id && each.kind === "recovery")
  const secret = row && (await vault.open(row))
  return row && secret && isUnsaved(secret) ? { row, secret } : null
}

/** The user has saved the codes: they are not shown again. A code that is used meanwhile has the same effect. */
export async function noteSaved(id: string, userId: string, tools: Tools): Promise<void> {
  const found = await findUnsaved(id, userId, tools)
  if (!found) return
  const { row, secret } = found
  await tools.store.changeFactor({ id, from: row.version, secret: await tools.vault.seal(row, toSaved(secret)) })
}

/**
 * Whether the user may remove a passkey, and what follows: without another second factor, the recovery codes have nothing to
 * replace, and the user would be asked for them at each sign-in. Null if the user must have a second factor, and this is it.
 */
export async function guardPasskey(
  user: AdapterUser,
  request: SessionRequest,
  context: ActionContext,
): Promise<(() => Promise<void>) | null> {
  const tools = openTools(context)
  const userId = toIdText(user.id)
  const { store } = tools
  const isLast = async (keys: number) => {
    const hasOther = (await store.listFactors(userId)).some(isStrong)
    return !hasOther && (await store.listAuthenticatorsByUserId(userId)).length === keys
  }
  // Even if the options do not list passkeys as a factor, the user needs it to prove who they are before setting up another.
  if ((await isLast(1)) && (await isDemanded(user, tools.settings))) return null
  if (!(await hasPasskey(userId, tools))) return async () => {}
  return async () => {
    if (await isLast(0)) {
      for (const row of (await store.listFactors(userId)).filter((each) => !isEnding(each))) {
        await store.deleteFactor(row.id)
        if (isFactor(row)) await tellChange("factorRemoved", row, request, context)
      }
    }
    await endOthers(userId, request, context)
    await forgetDevices(userId, store)
  }
}

const lastFactor = "The last second factor cannot be removed: this user must have one. Set up another first"

export type CurrentUser = Pick<SignedInVisit, "user" | "userId">

type FreshnessRule = (found: SignedInVisit<SessionRequest>, tools: Tools) => Promise<boolean>

/** @throws FreshnessRequired */
async function findFresh(
  request: SessionRequest,
  context: ActionContext,
  tools: Tools,
  isExcepted?: FreshnessRule,
): Promise<CurrentUser | null> {
  const found = await openVisit(request, context)
  if (!found || (await isFresh(found, request.cookies, tools))) return found
  if (await isExcepted?.(found, tools)) return found
  throw new FreshnessRequired(
    "The user must re-authenticate to change second factors: the last time is too long ago, or was before the first of them",
  )
}

/**
 * Whether the user re-authenticated in the last ten minutes, or `freshFor`, with two factors if they need two: a thief of the password
 * who signed in before the first setup must not undo it.
 */
export async function isFresh(found: CurrentUser, jar: CookieJar, tools: Tools): Promise<boolean> {
  const recent = findRecent(await tools.proofCookie.read(jar, found.userId), tools.freshness, systemClock())
  if (!areEnough(recent, { factors: 1 })) return false
  return areEnough(recent, { factors: 2 }) || !(await needsTwo(found, tools))
}

/**
 * Whether a user who needs two factors may set one up with a recent proof of one: only if they have nothing else to prove.
 * The session is from before they needed two.
 */
async function mayEnroll({ userId, request, context }: SignedInVisit<SessionRequest>, tools: Tools): Promise<boolean> {
  const recent = findRecent(await tools.proofCookie.read(request.cookies, userId), tools.freshness, systemClock())
  if (recent.length === 0 || (await hasSecondFactor(userId, tools))) return false
  const achieved = recent.flatMap(({ methods }) => methods)
  const unproved = await Promise.all(
    recent.map(({ provider }) => listUnproved({ userId, achieved, provider }, context, tools)),
  )
  return unproved.some(({ length }) => length === 0)
}

/** The same for the user of the session; false when signed out. */
export async function isSessionFresh(request: SessionRequest, context: ActionContext): Promise<boolean> {
  const found = await openVisit(request, context)
  return found !== null && isFresh(found, request.cookies, openTools(context))
}

/** Adds a proof of the user of the session, who has just given it. */
export async function noteProof(
  methods: readonly AuthMethod[],
  userId: string,
  { cookies }: SessionRequest,
  { proofCookie }: Tools,
): Promise<ResponseCookie> {
  const added = { methods, factors: countFactors(methods), time: systemClock() }
  return proofCookie.write(userId, addProof(added, await proofCookie.read(cookies, userId)))
}

/** Whether the user signs in with two factors: because they have set one up, or the host demands it. */
export async function needsTwo({ user, userId }: CurrentUser, tools: Tools): Promise<boolean> {
  return (await hasSecondFactor(userId, tools)) || isDemanded(user, tools.settings)
}

/** Whether sign-ins of the user wait for a second factor. */
export async function hasSecondFactor(userId: string, tools: Tools): Promise<boolean> {
  const rows = toFactors(await tools.store.listFactors(userId))
  return isSecondFactor(rows, rows.length > 0 && (await hasPasskey(userId, tools)))
}

/** A passkey counts for users who have another factor or recovery codes: see `passkeyFactor()`. */
function isSecondFactor(rows: readonly AdapterFactor[], hasKey: boolean): boolean {
  return rows.some(isStrong) || (rows.length > 0 && hasKey)
}

type ChangeEvent = "factorAdded" | "factorRemoved"
type Changed = Pick<AdapterFactor, "userId" | "kind">
type Tell = (kind: ChangeEvent, factor: Changed, request: SessionRequest) => Promise<void>

const recordKinds: Readonly<Record<ChangeEvent, AuditEvent["kind"]>> = {
  factorAdded: "factor-added",
  factorRemoved: "factor-removed",
}

/** Records a change, and tells the host about it. */
export async function tellChange(
  kind: ChangeEvent,
  { userId, kind: factor }: Changed,
  request: SessionRequest,
  { log, events }: Pick<ActionContext, "log" | "events">,
): Promise<void> {
  log.record({ kind: recordKinds[kind], userId }, request)
  await events.send(kind, { userId, kind: factor }, request)
}

/**
 * Ends the user's sessions except that of the request: one that a thief began must not outlive the factor that was removed
 * or lost. Without `session.track` none can be ended.
 */
async function endOthers(userId: string, request: SessionRequest, context: ActionContext): Promise<void> {
  const { sessions } = context
  if (!sessions.identify) return
  const current = await sessions.identify(request)
  await ownSessions(context).endAll(userId, current?.id, request)
}

/**
 * A recovery code was used: the phone may be lost together with a session.
 * @param held The sign-in that the code completes.
 */
export async function noteRecovery(
  use: { readonly userId: string; readonly left: number },
  request: SessionRequest,
  context: ActionContext,
  held?: PendingHold,
): Promise<void> {
  const { log, events } = context
  log.record({ kind: "recovery-code-used", userId: use.userId }, request)
  await events.send("recoveryCodeUsed", use, request)
  const { store } = openTools(context)
  await endOthers(use.userId, request, context)
  await endWaiting(use.userId, store, held?.flow)
  await forgetDevices(use.userId, store)
}

export interface NamedUser {
  readonly user: { readonly email?: string | null; readonly name?: string | null }
  readonly userId: string
}

export function toEnrollee(
  { user, userId }: NamedUser,
  { url }: Pick<SessionRequest, "url">,
  { theme }: Pick<ActionContext, "theme">,
): Enrollee {
  return { userId, name: user.email || user.name || userId, issuer: theme.name?.trim() || (url?.host ?? "") }
}

/** Recovery codes only replace another factor. */
const isStrong = (row: AdapterFactor): boolean => row.kind !== "recovery" && isFactor(row)

type KnownRow = AdapterFactor & Pick<FactorView, "kind">

function isKnown(row: AdapterFactor): row is KnownRow {
  return row.kind === "totp" || row.kind === "recovery"
}

async function toView(row: AdapterFactor, { vault }: Tools): Promise<FactorView> {
  const { id, lastUsedAt } = row
  const kind = row.kind === "recovery" ? "recovery" : "totp"
  const label = kind === "recovery" ? null : row.label
  const codesLeft = kind === "recovery" ? countLeft(await vault.open(row)) : null
  return { id, kind, label, createdAt: toDate(row.createdAt), lastUsedAt: lastUsedAt && toDate(lastUsedAt), codesLeft }
}
