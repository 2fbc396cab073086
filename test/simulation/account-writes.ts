import type { Exchange, Write } from "./exchange.js"
import type { MailFacts, RecordFacts, UnlinkFacts, UserFacts } from "./facts.js"
import { deletionDays, deletionJobPath } from "./features.js"
import { findMail } from "./mail-rules.js"
import {
  describeUser,
  freshMarginMs,
  freshMs,
  isOverAtArrival,
  lastProofOf,
  type Model,
  mayAct,
  recordsOf,
} from "./model.js"

export const areaPath = "/auth/account"
export const changePath: string = `${areaPath}/email`
export const undoPath: string = `${areaPath}/email/undo`
export const deletePath: string = `${areaPath}/delete`
export const exportPath: string = `${areaPath}/export`
export const methodPaths: ReadonlySet<string> = new Set([`${areaPath}/methods`, `${areaPath}/passkeys`])

const hourMs = 60 * 60_000
export const undoMs: number = 72 * hourMs
/** Clocks of two instances, and a change that relies on what another one kept a few minutes before. */
export const marginMs: number = 6 * 60_000

/** Why something must not be done to a user in the account area. Null if their own live session did it. */
export function findActFault(
  model: Model,
  exchange: Exchange,
  { userId, isProofNeeded = true }: { readonly userId: string; readonly isProofNeeded?: boolean },
): string | null {
  const { activity, browser, arrivedMs, sentSessions } = exchange
  const isSignedIn = sentSessions.some(
    (value) => model.sessions.get(value)?.userId === userId && !isOverAtArrival(model, exchange, value),
  )
  if (!isSignedIn) return "the user was not signed in"
  if (activity.person !== browser.person) return "a page of another site sent the form"
  const isProven = arrivedMs - lastProofOf(model, browser, userId) <= freshMs + freshMarginMs
  return isProofNeeded && !isProven ? "no one had signed in with this browser for long" : null
}

function report(model: Model, sentence: string, rule = "account"): void {
  model.violations.push({ rule, sentence })
}

/** A change that is taken back gives the address back to its user, and a reset by a mail to it is right again. */
function excuseResets({ unanswered }: Model, userId: string, email: string): void {
  for (const { newPassword, proofs } of unanswered) {
    const isBack = proofs.some(({ kind, id }) => kind === "mailbox" && id === email)
    if (newPassword?.userId === userId && isBack) newPassword.isLate = false
  }
}

/** An address belongs to a user only if someone who may act as this user asked for it, and its mailbox was proved for that. */
export function recordAddress(model: Model, exchange: Exchange, { args: [given], result }: Write): void {
  if (result !== true) return
  const { userId, from, to }: { userId: string; from: string; to: string } = Object(given)
  const user = model.users.get(userId)
  if (!user) return
  const isUndo = exchange.url.pathname === undoPath
  const isPutBack = user.movedBy?.exchange === exchange && !isUndo
  const fault = isPutBack
    ? null
    : isUndo
      ? findUndoFault(model, exchange, user, to)
      : findChangeFault(model, exchange, user, to)
  if (isUndo || isReturn(model, user, to)) user.kept = null
  else if (!isPutBack && !isRestorable(model, user))
    user.kept = user.isAddressProven ? { email: from, sinceMs: model.now() } : null
  user.email = to
  user.isAddressProven = true
  excuseResets(model, userId, to)
  user.movedBy = { exchange, ms: model.now() }
  const password = model.passwords.get(userId)
  if (password) model.passwords.set(userId, { ...password, email: to })
  if (fault !== null) report(model, `The address of ${describeUser(model, userId)} became ${to}: ${fault}.`)
}

function isRestorable(model: Model, { kept }: UserFacts): boolean {
  return kept !== null && model.now() - kept.sinceMs < undoMs
}

/** Whether a change leads back to the address that could be restored, after which there is nothing to undo. */
function isReturn(model: Model, user: UserFacts, to: string): boolean {
  return user.kept?.email === to && isRestorable(model, user)
}

function findChangeFault(model: Model, exchange: Exchange, user: UserFacts, to: string): string | null {
  const { browser, form, arrivedMs, id } = exchange
  const mail = findMail(exchange, model)
  if (mail?.purpose !== "change" || mail.to !== to) return "no mail to this address was used"
  mail.used += 1
  if (mail.used > 1) return "the mail was used before"
  if (arrivedMs - mail.sentMs > hourMs + marginMs) return "the mail was too old"
  if (form?.has("code") && mail.browser !== browser) return "the code was typed in another browser"
  if (mail.askedFor?.id !== user.id) return "no one had asked for it as this user"
  if (mail.askedFor.email !== user.email) return "the address was changed after the mail had been sent"
  if (!mail.owner || !mayAct(model, mail.owner, user.id)) return "its mailbox is someone else's"
  if (isReserved(model, { email: to, userId: user.id, arrivedMs })) return "another user could have it restored"
  const isTold = model.mails.some((each) => each.exchangeId === id && each.purpose === "undo" && each.to === user.email)
  if (user.isAddressProven && !isReturn(model, user, to) && !isTold)
    return "the former address got no link that undoes it"
  return findActFault(model, exchange, { userId: user.id, isProofNeeded: false })
}

function findUndoFault(model: Model, exchange: Exchange, user: UserFacts, to: string): string | null {
  const mail = findUndoMail(model, exchange)
  if (mail?.askedFor?.id !== user.id) return "no link for it was opened"
  if (exchange.method !== "POST") return "a link was opened, and no button pressed"
  if (exchange.arrivedMs - mail.sentMs > undoMs + marginMs) return "the link was too old"
  if (user.kept === null) return "there was nothing to undo"
  return user.kept.email === to ? null : `${user.kept.email} was there before`
}

/** The mail whose link a request opens to undo a change. */
export function findUndoMail({ mails }: Model, { url }: Pick<Exchange, "url">): MailFacts | undefined {
  const token = url.searchParams.get("token")
  return mails.findLast((mail) => mail.purpose === "undo" && mail.token === token)
}

/** Whether an address can be restored for another user. */
export function isReserved(
  model: Model,
  { email, userId, arrivedMs }: { readonly email: string; readonly userId: string; readonly arrivedMs: number },
): boolean {
  return [...model.area.kept.values()].some(
    (kept) =>
      kept.email === email &&
      kept.userId !== userId &&
      kept.sinceMs < arrivedMs &&
      arrivedMs - kept.sinceMs < undoMs - marginMs &&
      model.users.get(kept.userId)?.isDeleted === false,
  )
}

/** The kind of a row that only keeps two requests from changing the same address at once. */
const claimKind = "email-claim"

/** A former address is kept, or a deletion is planned. */
export function recordChange(model: Model, exchange: Exchange, { args: [given], result }: Write): void {
  if (result !== true) return
  const { id, userId, kind }: { id: string; userId: string; kind: string } = Object(given)
  if (kind === claimKind) return
  const sinceMs = model.now()
  if (kind === "email") {
    const user = model.users.get(userId)
    const email = model.area.addresses.get(id) ?? user?.email ?? ""
    model.area.addresses.set(id, email)
    model.area.kept.set(id, { userId, email, sinceMs })
    if (user?.kept?.email === email) user.kept = { email, sinceMs }
    return
  }
  const isPutBack = model.area.claimed.delete(userId)
  const fault = isPutBack ? null : findActFault(model, exchange, { userId })
  // The days begin with the request, and a store may take long to write.
  const dueMs = isPutBack ? sinceMs : exchange.arrivedMs + deletionDays * 24 * hourMs
  model.area.planned.set(userId, { sinceMs, dueMs })
  if (fault !== null) report(model, `The deletion of ${describeUser(model, userId)} was planned: ${fault}.`, "deletion")
}

/** The host's job takes a plan before it deletes the user, and a sign-in takes it away. */
export function dropChange(model: Model, exchange: Exchange, { args: [given], result }: Write): void {
  const { kept, planned, claimed } = model.area
  const { id } = Object(given)
  const [kind, userId = ""] = String(id).split(/:(.*)/s)
  if (result !== true || kind === claimKind) return
  if (kind === "email") return void kept.delete(String(id))
  const plan = planned.get(userId)
  planned.delete(userId)
  if (exchange.url.pathname !== deletionJobPath) return
  claimed.set(userId, exchange)
  const isDue = plan !== undefined && model.now() >= plan.dueMs - marginMs
  if (!isDue) report(model, "A user is deleted before the time that was promised.", "deletion")
}

/** A user is deleted by a fresh proof of their own, by the host's job, or with the request that created them. */
export function findDeletionFault(model: Model, exchange: Exchange, userId: string): string | null {
  const { pathname } = exchange.url
  if (model.users.get(userId)?.bornIn === exchange) return null
  const isClaimed = model.area.claimed.get(userId) === exchange
  if (pathname === deletionJobPath) return isClaimed ? null : "the deletion was not planned, or was canceled"
  return pathname === deletePath ? findActFault(model, exchange, { userId }) : "no one had asked for it"
}

/** An account is removed by its user, who has just proved who they are, or by the sign-in that linked it too late. */
export function recordUnlink(model: Model, exchange: Exchange, { args: [given] }: Write): void {
  const { provider, providerAccountId } = Object(given)
  const key = `${provider} ${providerAccountId}`
  const userId = model.accounts.get(key)
  const isTakenBack = exchange.writes.some(
    ({ method, args: [row] }) =>
      method === "linkAccount" && `${Object(row).provider} ${Object(row).providerAccountId}` === key,
  )
  if (isTakenBack && !methodPaths.has(exchange.url.pathname)) {
    model.accounts.delete(key)
    // Someone may have signed in with it meanwhile.
    forgetWay(model, provider, userId)
    return
  }
  if (userId === undefined || !methodPaths.has(exchange.url.pathname)) return
  const own = exchange.sentSessions.flatMap((value) => recordsOf(model, value).map(([id]) => id))
  model.accounts.delete(key)
  // Another user of the person may get the account next.
  forgetWay(model, provider, userId)
  model.area.unlinked.set(key, { userId, exchange, own, ms: model.now() })
  const fault = findActFault(model, exchange, { userId })
  if (fault !== null)
    report(model, `An account at ${provider} was removed from ${describeUser(model, userId)}: ${fault}.`)
}

function forgetWay({ reached }: Model, provider: string, userId: string | undefined): void {
  for (const [way, id] of reached) if (id === userId && way.endsWith(` ${provider}`)) reached.delete(way)
}

/** Two requests may each have left the other's way: then the account comes back. */
export function isPutBack({ area }: Model, exchange: Exchange, key: string): boolean {
  return area.unlinked.get(key)?.exchange === exchange && area.unlinked.delete(key)
}

/** Whoever changes something of a user in the area may do so. The profile needs no recent proof. */
export function checkAreaWrite(model: Model, exchange: Exchange, { method, args: [given] }: Write): void {
  const { pathname } = exchange.url
  const isProfile = method === "updateUser" && pathname === `${areaPath}/profile`
  const isPasskey = method === "deleteAuthenticator" && pathname === `${areaPath}/passkeys`
  const userId = isProfile ? String(Object(given).id) : isPasskey ? model.passkeys.get(String(given)) : undefined
  const fault = userId === undefined ? null : findActFault(model, exchange, { userId, isProofNeeded: isPasskey })
  if (fault !== null) report(model, `${method} changed ${describeUser(model, userId ?? "")}: ${fault}.`)
}

/** What must be true when everything that was begun has ended. */
export function checkArea(model: Model): void {
  for (const [key, facts] of model.area.unlinked) {
    if (!isUndisturbed(facts.exchange) || model.users.get(facts.userId)?.isDeleted !== false) continue
    const user = describeUser(model, facts.userId)
    if (!hasWay(model, facts.userId)) report(model, `The last way in which ${user} could sign in was removed.`)
    const isLeft = [...model.records].some(
      ([id, record]) => !facts.own.includes(id) && isLeftOf(model, key, record, facts),
    )
    if (isLeft) report(model, `A session of ${user} lives on that began with an account which was removed.`)
  }
  for (const record of model.records.values()) {
    if (!isLateMail(model, record)) continue
    const user = describeUser(model, record.userId)
    report(model, `A mail to ${record.origin.sub} began a session of ${user}, who no longer has this address.`)
  }
}

/** Whether a session lives that began with an account which was removed. The account may have had other users before. */
function isLeftOf(model: Model, key: string, record: RecordFacts, { userId }: UnlinkFacts): boolean {
  const { origin, endedMs, begunBy } = record
  const isByIt = `${origin.provider} ${origin.sub}` === key && !model.accounts.has(key) && record.userId === userId
  const isDirect = begunBy.proofs.some((proof) => proof.kind === "account" && proof.id === key)
  return isByIt && isDirect && endedMs === null && isUndisturbed(begunBy)
}

/** Whether a session lives that began with a mail to an address which its user no longer had. */
function isLateMail(model: Model, { origin, endedMs, begunBy, userId, sinceMs }: RecordFacts): boolean {
  const { movedBy, email, isDeleted } = model.users.get(userId) ?? {}
  const isMailed = begunBy.signedIn?.provider === origin.provider && /^(?:mail|code)$/.test(origin.provider)
  if (endedMs !== null || !isMailed || isDeleted || !movedBy || sinceMs < movedBy.ms) return false
  return origin.sub !== email && isUndisturbed(begunBy) && isUndisturbed(movedBy.exchange)
}

function isUndisturbed({ answer, faults }: Exchange): boolean {
  return answer !== null && faults.length === 0
}

/** Whether a user can sign in. A password that the host checks itself does not count. */
function hasWay({ accounts, passwords, users }: Model, userId: string): boolean {
  const hasAccount = [...accounts.values()].includes(userId)
  return hasAccount || passwords.has(userId) || users.get(userId)?.isAddressProven === true
}
