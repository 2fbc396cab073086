import type { ActionContext } from "../actions/context.js"
import { FreshnessRequired, InvalidRequest } from "../errors/errors.js"
import type { CookieJar } from "../http/cookies.js"
import type { AuditEvent } from "../log/audit-event.js"
import { toIdText } from "../runtime/id.js"
import { systemClock } from "../runtime/promise.js"
import { freshSeconds, ownSessions } from "../session/own-sessions.js"
import type { SessionRequest } from "../session/session.js"
import type { AdapterUser } from "../types/adapter.js"
import type { AdapterFactor } from "../types/adapter-features.js"
import type { ResponseCookie } from "../types/http.js"
import {
  confirmTotp,
  type Enrollee,
  openTicket,
  replaceRecoveryCodes,
  setUpTotp,
  type TotpSetup,
} from "./enrollment.js"
import { countLeft } from "./recovery-codes.js"
import { isDemanded, openTools, type Tools } from "./tools.js"

/** A second factor as its user may see it. It holds no secret. */
export interface FactorView {
  /** Identifies the factor for `removeFactor`. */
  readonly id: string
  readonly kind: "totp" | "recovery"
  /** The name that the user gave it. */
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** How many recovery codes are left. Null for other kinds. */
  readonly codesLeft: number | null
}

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

/** What the user of a session can do with their second factors. Null when signed out. */
export interface OwnFactors {
  list(request: SessionRequest): Promise<readonly FactorView[] | null>
  /** @throws FreshnessRequired unless the user signed in during the last ten minutes; the methods below too */
  beginTotp(request: SessionRequest): Promise<TotpSetup | null>
  /** @throws SecondFactorWrong for a wrong code; InvalidRequest for a ticket that cannot be used */
  confirmTotp(request: SessionRequest, confirmation: TotpConfirmation): Promise<ConfirmedTotp | null>
  /** @throws InvalidRequest for a user without another factor */
  createRecoveryCodes(request: SessionRequest): Promise<readonly string[] | null>
  /** The cookies of a browser that has confirmed a setup: it has proved a second factor. */
  noteSetup(request: SessionRequest): Promise<readonly ResponseCookie[]>
  /** False for an id that is not one of the user's. @throws InvalidRequest for the last one where one is required */
  remove(request: SessionRequest, id: string): Promise<boolean | null>
}

/** @throws InvalidConfiguration without `secondFactor` */
export function ownFactors(context: ActionContext): OwnFactors {
  const tools = openTools(context)
  const { store } = tools
  const findUser = (request: SessionRequest) => findCurrentUser(request, context)
  const findFreshUser = (request: SessionRequest) => findFresh(request, context, tools)
  const tell: Tell = (kind, factor, request) => tellChange(kind, factor, request, context)

  return {
    async list(request) {
      const found = await findUser(request)
      if (!found) return null
      const rows = (await store.listFactors(found.userId)).filter(isKnown).sort(byAge)
      return Promise.all(
        [...rows.filter(isStrong), ...rows.filter((row) => !isStrong(row))].map((row) => toView(row, tools)),
      )
    },

    async beginTotp(request) {
      const found = await findFreshUser(request)
      return found && setUpTotp(toEnrollee(found, request, context), tools, context.secrets)
    },

    async confirmTotp(request, { ticket, code, label }) {
      const found = await findFreshUser(request)
      if (!found) return null
      const { userId } = found
      const opened = await openTicket(ticket, userId, context.secrets)
      const { factor, recoveryCodes } = await confirmTotp({ userId, ticket: opened, code, label }, tools)
      await tell("factorAdded", factor, request)
      return { factor: await toView(factor, tools), recoveryCodes }
    },

    async noteSetup(request) {
      const found = await findUser(request)
      const proof = found && (await tools.proofCookie.read(request.cookies, found.userId))
      return proof ? [await tools.proofCookie.write({ ...proof, isStrong: true })] : []
    },

    async createRecoveryCodes(request) {
      const found = await findFreshUser(request)
      if (!found) return null
      const { userId } = found
      const rows = await store.listFactors(userId)
      if (!rows.some(isStrong))
        throw new InvalidRequest("Set up another second factor first: there is nothing to recover")
      const codes = await replaceRecoveryCodes(userId, tools)
      await tell("factorAdded", { userId, kind: "recovery" }, request)
      return codes
    },

    async remove(request, id) {
      const found = await findFreshUser(request)
      if (!found) return null
      const removed = await removeFactor(found, id, tools)
      for (const factor of removed) await tell("factorRemoved", factor, request)
      if (removed.length > 0) await endOthers(found.userId, request, context)
      return removed.length > 0
    },
  }
}

/**
 * Removes a factor, and the recovery codes with the last one that they could replace. Returns what was removed.
 * @throws InvalidRequest for the last factor of a user who must have one
 */
async function removeFactor(
  { user, userId }: CurrentUser,
  id: string,
  { store, settings }: Tools,
): Promise<readonly AdapterFactor[]> {
  const rows = await store.listFactors(userId)
  const row = rows.find((each) => each.id === id)
  if (!row) return []
  const isLast = isStrong(row) && rows.filter(isStrong).length === 1
  const isBound = isStrong(row) && (await isDemanded(user, settings))
  if (isLast && isBound) throw new InvalidRequest(lastFactor)
  const removed = isLast ? [row, ...rows.filter((other) => other !== row)] : [row]
  for (const each of removed) await store.deleteFactor(each.id)
  // Of two factors that are removed at once, each may have counted on the other.
  if (isBound && !(await store.listFactors(userId)).some(isStrong)) {
    await store.createFactor(row)
    throw new InvalidRequest(lastFactor)
  }
  return removed
}

const lastFactor = "The last second factor cannot be removed: this user must have one. Set up another first"

interface CurrentUser {
  readonly user: AdapterUser
  readonly userId: string
}

async function findCurrentUser({ cookies }: SessionRequest, { sessions }: ActionContext): Promise<CurrentUser | null> {
  const user = await sessions.findUser(cookies)
  const userId = toIdText(user?.id)
  return user && userId !== "" ? { user, userId } : null
}

/** @throws FreshnessRequired */
async function findFresh(request: SessionRequest, context: ActionContext, tools: Tools): Promise<CurrentUser | null> {
  const found = await findCurrentUser(request, context)
  if (!found || (await isFresh(found, request.cookies, tools))) return found
  throw new FreshnessRequired(
    "The user must sign in again to change second factors: the last sign-in is too old, or from before the first of them",
  )
}

/**
 * Whether the user signed in during the last ten minutes, with two factors if they need two: a thief of the password who
 * signed in before the first setup must not undo it.
 */
export async function isFresh(found: CurrentUser, jar: CookieJar, tools: Tools): Promise<boolean> {
  const proof = await tools.proofCookie.read(jar, found.userId)
  if (!proof || systemClock() - proof.time >= freshSeconds * 1000) return false
  return proof.isStrong || !(await needsTwo(found, tools))
}

/** Whether the user signs in with two factors: because they have set one up, or the host demands it. */
export async function needsTwo({ user, userId }: CurrentUser, { store, settings }: Tools): Promise<boolean> {
  return (await store.listFactors(userId)).some(isStrong) || isDemanded(user, settings)
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
export async function endOthers(userId: string, request: SessionRequest, context: ActionContext): Promise<void> {
  const { sessions } = context
  if (!sessions.identify) return
  const current = await sessions.identify(request)
  await ownSessions(context).endAll(userId, current?.id, request)
}

interface NamedUser {
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
const isStrong = ({ kind }: AdapterFactor): boolean => kind !== "recovery"

const byAge = (one: AdapterFactor, other: AdapterFactor): number => one.createdAt.valueOf() - other.createdAt.valueOf()

type KnownRow = AdapterFactor & Pick<FactorView, "kind">

function isKnown(row: AdapterFactor): row is KnownRow {
  return row.kind === "totp" || row.kind === "recovery"
}

async function toView(row: AdapterFactor, { vault }: Tools): Promise<FactorView> {
  const { id, label, createdAt, lastUsedAt } = row
  const kind = row.kind === "recovery" ? "recovery" : "totp"
  const codesLeft = kind === "recovery" ? countLeft(await vault.open(row)) : null
  return { id, kind, label, createdAt, lastUsedAt, codesLeft }
}
