import { isHashOf } from "./argon2.js"
import { type AnsweredExchange, type Exchange, nameInForm, type Proof, type Write } from "./exchange.js"
import type { MailFacts, PasswordFacts } from "./facts.js"
import { findMail } from "./mail-rules.js"
import {
  describeUser,
  type ExchangeRule,
  endOf,
  freshMarginMs,
  isProvenLongAgo,
  liveUserOf,
  type Model,
  mayAct,
  recordsOf,
} from "./model.js"
import {
  accountLimit,
  accountOf,
  countWrongPassword,
  mostParallel,
  pairLimit,
  pairWindowSeconds,
} from "./password-budget.js"
import { ownsMailbox } from "./people.js"

/** What the built-in passwords are good for. */
export const passwordRules: readonly ExchangeRule[] = [
  { rule: "password", findFault: findFormerPassword },
  { rule: "password", findFault: findKeptByChange },
  { rule: "password", findFault: findStaleChange },
  { rule: "password", findFault: findChangeByLink },
  { rule: "password", findFault: findLateReset },
  { rule: "budget", findFault: countGuess },
  { rule: "lockout", findFault: findLockedChange },
]

const undoPath = "/auth/account/email/undo"
const resetPath = "/auth/password/reset"
const changePath = "/auth/password/change"
const signInPath = "/auth/callback/password"

/** A password shows that its sender is who chose it. */
export function findPasswordProof(
  { url, form }: Pick<Exchange, "url" | "form">,
  { chosenPasswords }: Model,
): readonly Proof[] {
  const person = url.pathname === signInPath && chosenPasswords.get(form?.get("password") ?? "")
  return person ? [{ kind: "password", id: nameInForm({ form }), person }] : []
}

/** A password that was changed leaves no session behind, also if it was right when the request arrived. */
function findFormerPassword(model: Model, { signedIn, url, form, answer }: AnsweredExchange): string | null {
  if (!signedIn || url.pathname !== signInPath) return null
  const { text } = model.passwords.get(signedIn.userId) ?? {}
  const isFormer = text !== undefined && text !== form?.get("password")
  const isAlive = answer.session !== undefined && endOf(model, answer.session) === null
  return isFormer && isAlive ? `A former password of ${describeUser(model, signedIn.userId)} signed in.` : null
}

/** A new password ends the sessions from before, except the one in which it was changed. */
function findKeptByChange(model: Model, exchange: AnsweredExchange): string | null {
  const { newPassword, sentSessions, url, faults, writes } = exchange
  if (newPassword === null || faults.length > 0) return null
  // A user whom this request creates has no sessions from before. The owner of the mailbox may sign in by a code meanwhile.
  if (writes.some(({ method, result }) => method === "createUser" && Object(result).id === newPassword.userId))
    return null
  const isChange = url.pathname === changePath
  const own = isChange ? sentSessions.flatMap((value) => recordsOf(model, value).map(([id]) => id)) : []
  const kept = newPassword.sessions.filter(
    (id) => !own.includes(id) && (model.records.get(id)?.endedMs ?? null) === null,
  )
  if (kept.length === 0) return null
  return `The password of ${describeUser(model, newPassword.userId)} was changed, but a former session lives on.`
}

/** A session whose user last proved who they are long ago changes no password. */
function findStaleChange(model: Model, exchange: AnsweredExchange): string | null {
  const { newPassword, url, sentSessions } = exchange
  if (newPassword === null || url.pathname !== changePath) return null
  const own = sentSessions.flatMap((value) => recordsOf(model, value))
  return own.length > 0 && isProvenLongAgo(model, exchange)
    ? "A session of long ago changed the password of its user."
    : null
}

/** A GET changes nothing, except that a link ends a sign-up in the browser that began it. */
function findChangeByLink(model: Model, exchange: AnsweredExchange): string | null {
  const { method, url, writes, browser } = exchange
  if (method === "POST" || !url.pathname.startsWith("/auth/password/")) return null
  const isOwn = findMail(exchange, model)?.browser === browser && url.pathname === "/auth/password/sign-up"
  // The record of a session that has just ended is refused by the store.
  const change = writes.find(({ method: name, result }) => changes.has(name) && result !== null && result !== false)
  return change && !isOwn ? `A ${method} of ${url.pathname} did ${change.method}.` : null
}

/** A password that came by a mail to an address which was replaced meanwhile does not stay. */
function findLateReset({ passwords }: Model, { newPassword, faults }: AnsweredExchange): string | null {
  if (!newPassword?.isLate || faults.length > 0 || passwords.get(newPassword.userId)?.text === "") return null
  return "A mail to an address that its user no longer had set a password."
}

const changes: ReadonlySet<string> = new Set([
  "createUser",
  "setPassword",
  "useVerificationToken",
  "createSessionDetail",
])

/** Wrong passwords that were compared. Those that a budget refused are answered differently. A host's directory counts its own. */
function countGuess(model: Model, exchange: AnsweredExchange): null {
  const { url, form, answer, browser, faults } = exchange
  if (url.pathname === signInPath && faults.length > 0) countDisturbed(model, exchange)
  const target = answer.headers.get("location") ?? (answer.body.startsWith('{"url"') ? answer.body : "")
  if (url.pathname !== signInPath || !form?.has("email")) return null
  if (faults.length > 0 || !target.includes("error=CredentialsSignin")) return null
  const { network, isNetworkKnown } = browser
  countWrongPassword({ name: nameInForm(exchange), network: network.address, isNetworkKnown }, model)
  return null
}

/** A sign-in that failed because of a fault still counts, since the password may have been compared. */
function countDisturbed({ strangeGuesses, failedSignIns, now }: Model, exchange: AnsweredExchange): void {
  const name = accountOf(nameInForm(exchange))
  if (exchange.browser.person.isAttacker) strangeGuesses.set(name, (strangeGuesses.get(name) ?? 0) + 1)
  else failedSignIns.set(name, [...(failedSignIns.get(name) ?? []), now()])
}

/** Strangers use up their own budgets, never the owner's. */
export function findLockout(model: Model, exchange: AnsweredExchange): string | null {
  const { answer, url, form, browser } = exchange
  if (url.pathname !== signInPath || answer.status !== 429) return null
  const { person, network, isNetworkKnown } = browser
  const name = nameInForm(exchange)
  if (person.isAttacker || !isRight(model, exchange, form?.get("password") ?? "")) return null
  // The request may have been judged before a parallel one made the network known.
  const isFromHome = isNetworkKnown && exchange.id > (model.knownNetworks.get(`${network.address} ${name}`) ?? Infinity)
  // Forms that the person sent at once count until they are answered.
  const own = [...model.unanswered].filter((each) => each.browser.person === person && nameInForm(each) === name)
  const sinceMs = model.now() - pairWindowSeconds * 1000 - freshMarginMs
  const failed = (model.failedSignIns.get(name) ?? []).filter((ms) => ms > sinceMs)
  if (own.length + failed.length >= pairLimit) return null
  const guesses = model.strangeGuesses.get(name) ?? 0
  // A few more may be counted and on their way to the host.
  if (!isFromHome && guesses + mostParallel >= accountLimit) return null
  return `Guesses of strangers locked ${person.name} out, who knows the password.`
}

/** Guesses at a sign-in, whatever name they have, never count for the user who changes the password of their own session. */
function findLockedChange(model: Model, exchange: AnsweredExchange): string | null {
  const { url, form, method, sentSessions } = exchange
  const current = form?.get("current")
  if (url.pathname !== changePath || method !== "POST" || !current) return null
  const userIds = new Set(sentSessions.map((value) => model.sessions.get(value)?.userId ?? ""))
  for (const id of userIds) model.triedChanges.set(id, (model.triedChanges.get(id) ?? 0) + 1)
  const userId = liveUserOf(model, exchange) ?? ""
  const isOwn = !model.users.get(userId)?.isExposed && model.passwords.get(userId)?.text === current
  if (exchange.answer.status !== 429 || !isOwn || (model.triedChanges.get(userId) ?? 0) > pairLimit) return null
  return `Guesses of strangers kept ${describeUser(model, userId)} from changing the password.`
}

/** Whether a form has the password of the person whose browser sent it. */
function isRight({ passwords }: Model, { form, browser: { person } }: AnsweredExchange, password: string): boolean {
  const { username, password: own } = person.password ?? {}
  if (form?.has("username")) return form.get("username") === username && password === own
  const name = nameInForm({ form })
  return (
    ownsMailbox(person, name) && [...passwords.values()].some(({ email, text }) => email === name && text === password)
  )
}

/** A password is set by someone who may act as its user, and who showed it in one of the ways that the service has. */
export function recordPassword(model: Model, exchange: Exchange, { args: [given], result }: Write): void {
  if (result !== true) return
  const { userId, hash }: { userId: string; hash: string } = Object(given)
  const former = model.passwords.get(userId)
  const text = [...model.chosenPasswords.keys()].findLast((each) => isHashOf(hash, each))
  const email = model.users.get(userId)?.email ?? ""
  // The same password with another hash.
  const isUpgrade = text !== undefined && former?.text === text
  model.passwords.set(userId, { email, text: text ?? "", version: (former?.version ?? 0) + (isUpgrade ? 0 : 1) })
  if (isUpgrade) return
  if (former) model.formerPasswords.add(former.text)
  const isOvertaken = exchange.url.pathname === resetPath && isMovedMeanwhile(model, exchange, userId)
  // A user may have taken the address back by now.
  const isLate = isOvertaken && !exchange.proofs.some(({ kind, id }) => kind === "mailbox" && id === email)
  // An undo of a changed address, and a reset that a change overtakes, replace it by one that no one knows.
  if (exchange.url.pathname === undoPath || (isOvertaken && text === undefined)) return
  const lives = [...model.records].filter(([, record]) => record.userId === userId && record.endedMs === null)
  exchange.newPassword = { userId, sessions: lives.map(([id]) => id), isLate }
  const fault = text === undefined ? "no one chose it" : findFault(model, exchange, { userId, text, former })
  if (fault === null) return
  const sentence = `A password was set for ${describeUser(model, userId)}: ${fault}.`
  model.violations.push({ rule: "password", sentence })
}

interface Change {
  readonly userId: string
  readonly text: string
  readonly former: PasswordFacts | undefined
}

function findFault(model: Model, exchange: Exchange, change: Change): string | null {
  const { userId, former } = change
  const chooser = model.chosenPasswords.get(change.text)
  if (!chooser || !mayAct(model, chooser, userId)) return `${chooser?.name} chose it`
  const user = model.users.get(userId)
  const mail = findMail(exchange, model)
  const isAddressed = mail?.to === user?.email || isMovedMeanwhile(model, exchange, userId)
  const purpose = isAddressed ? mail?.purpose : undefined
  if (user?.bornIn === exchange) return purpose === "sign-up" ? null : "its address was not proved"
  if (mail && purpose === "reset" && former) return findResetFault(mail, former)
  if (liveUserOf(model, exchange) !== userId) return "the user was not signed in, and no mail for it was used"
  if (former) return exchange.form?.get("current") === former.text ? null : "the current one was not given"
  return purpose === "add" ? null : "no code of a mail for it was given"
}

function isMovedMeanwhile({ users }: Model, { arrivedMs }: Exchange, userId: string): boolean {
  const { movedBy } = users.get(userId) ?? {}
  return movedBy != null && movedBy.ms >= arrivedMs
}

function findResetFault(mail: MailFacts, { version }: PasswordFacts): string | null {
  if (mail.hasSetPassword) return "the mail was used before"
  mail.hasSetPassword = true
  return mail.passwordVersion === version ? null : "it was changed after the mail had been sent"
}
