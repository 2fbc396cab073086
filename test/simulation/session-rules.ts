import { type AnsweredExchange, isRefusal } from "./exchange.js"
import { isFormer } from "./half-rules.js"
import {
  describeUser,
  type ExchangeRule,
  endedBy,
  endOf,
  isProvenLongAgo,
  liveUserOf,
  type Model,
  mayAct,
  mislead,
} from "./model.js"

/** Whose session a browser gets, and when one ends. */
export const sessionRules: readonly ExchangeRule[] = [
  { rule: "session", findFault: findUnprovenSignIn },
  { rule: "session", findFault: findForeignSession },
  { rule: "ended-session", findFault: findDeadSession },
  { rule: "ended-session", findFault: findKeptSession },
  { rule: "signed-out", findFault: findLostSession },
  { rule: "ended-session", findFault: findUnrenewedSession },
  { rule: "session-list", findFault: findForeignListing },
  { rule: "session-list", findFault: findStaleEnding },
  { rule: "logout-token", findFault: findIgnoredLogout },
]

const listPath = "/auth/account/sessions"

/** A list shows one's own live sessions. The store is asked for it, so an ended session gets none at once. */
function findForeignListing(model: Model, exchange: AnsweredExchange): string | null {
  const { answer, url, method, browser, sentSessions, arrivedMs } = exchange
  if (url.pathname !== listPath || method !== "GET" || answer.status !== 200) return null
  const ids: string[] = JSON.parse(answer.body).sessions.map(({ id }: { id: string }) => id)
  const isEnded = (id: string | null) => {
    const endedMs = model.records.get(id ?? "")?.endedMs ?? null
    return endedMs !== null && endedMs < arrivedMs
  }
  const records = ids.map((id) => model.records.get(id))
  if (records.some((record) => !record || !mayAct(model, browser.person, record.userId)))
    return `${browser.person.name} saw the session of someone else in the list.`
  if (new Set(records.map((record) => record?.userId)).size > 1) return "A list had the sessions of two users."
  if (ids.some(isEnded)) return "A list had a session that had ended."
  const isOver = sentSessions.every((value) => {
    const session = model.sessions.get(value)
    return !session || session.ended !== null || isEnded(session.sid)
  })
  // A row may have ended while the request was under way.
  const isEarlier = sentSessions.every(
    (value) => exchange.endedBefore.has(value) || isEnded(model.sessions.get(value)?.sid ?? null),
  )
  return isOver && isEarlier ? "A session that had ended got the list." : null
}

/** A session whose user last proved who they are long ago does not end all others at once. */
function findStaleEnding(model: Model, exchange: AnsweredExchange): string | null {
  const { url, form, method, answer, writes } = exchange
  if (url.pathname !== listPath || method !== "POST" || answer.status !== 200) return null
  const isOther = form?.get("action") === "end-others"
  const isEnding = writes.some(({ method: name, result }) => name === "endSessions" && Number(result) > 0)
  return isOther && isEnding && isProvenLongAgo(model, exchange)
    ? "A session of long ago ended other sessions of its user."
    : null
}

/** The provider believes a 200: then the sessions that its token names have ended. */
function findIgnoredLogout(model: Model, { answer, faults, form, writes }: AnsweredExchange): string | null {
  const token = model.logoutTokens.get(form?.get("logout_token") ?? "")
  if (!token?.isRight || token.arrivals > 1 || answer.status !== 200 || faults.length > 0) return null
  const isObeyed = writes.some(({ method }) => method === "endSessions")
  return isObeyed ? null : `A logout token of ${token.provider} was answered with 200, but ended nothing.`
}

/** A session belongs to the person who proved control of one of its user's credentials, in the browser that gets it. */
function findUnprovenSignIn(model: Model, { signedIn, proofs, browser }: AnsweredExchange): string | null {
  if (!signedIn) return null
  const { userId, provider } = signedIn
  const user = describeUser(model, userId)
  if (model.banned.has(userId)) return `${user} signed in with ${provider}, though the host bans this user.`
  const email = model.users.get(userId)?.email
  const isAddressProven = proofs.some((proof) => (proof.kind === "mailbox" ? proof.id : proof.verifiedEmail) === email)
  if (!model.promises.hasVerifiedEmails && isAddressProven) mislead(model, browser.person, userId)
  const entitled = proofs.filter(({ person }) => mayAct(model, person, userId))
  if (entitled.length === 0) return `${user} signed in with ${provider}, though no one proved a credential of theirs.`
  const isOwnBrowser = entitled.some(({ person }) => person === browser.person) || mayAct(model, browser.person, userId)
  if (!isOwnBrowser && browser.uncheckedProvider === provider) {
    mislead(model, browser.person, userId)
    return null
  }
  return isOwnBrowser ? null : `${browser.person.name}'s browser was signed in as ${user}.`
}

function findForeignSession(model: Model, { sessionUserId, browser }: AnsweredExchange): string | null {
  if (sessionUserId === null || mayAct(model, browser.person, sessionUserId)) return null
  return `${browser.person.name}'s browser got the session of ${describeUser(model, sessionUserId)}.`
}

/** A session that ended is dead for every request that arrives later. */
function findDeadSession(model: Model, exchange: AnsweredExchange): string | null {
  const { sessionUserId, endedBefore } = exchange
  if (sessionUserId === null || liveUserOf(model, exchange) === sessionUserId || endedBefore.size === 0) return null
  return `The session of ${describeUser(model, sessionUserId)} had ended, but was still answered.`
}

/** Signing out, and signing in again, end the session that the browser had. */
function findKeptSession(model: Model, exchange: AnsweredExchange): string | null {
  const { faults, url, method, answer, sentSessions, signedIn } = exchange
  const isSignOut = method === "POST" && url.pathname === "/auth/signout" && !isRefusal(answer)
  if (faults.length > 0 || !(isSignOut || signedIn)) return null
  const kept = sentSessions.find((value) => {
    const session = model.sessions.get(value)
    // A stateless token cannot be taken back when it is replaced, unless it has a record.
    const isLasting = session?.sid != null && !model.promises.tracking
    if (!session || value === answer.session || (!isSignOut && isLasting)) return false
    return endOf(model, value) === null
  })
  if (kept === undefined) return null
  const owner = describeUser(model, model.sessions.get(kept)?.userId ?? "")
  return isSignOut
    ? `${owner} signed out, but the session lives on.`
    : `${owner} signed in again, but the former session lives on.`
}

/** A stolen copy of a stored session does not reach what its owner adds to the account. */
function findUnrenewedSession(model: Model, exchange: AnsweredExchange): string | null {
  const { faults, writes, signedIn, sentSessions } = exchange
  if (faults.length > 0 || !signedIn || !writes.some(({ method }) => method === "linkAccount")) return null
  const copy = sentSessions.find((value) => model.sessions.get(value)?.sid === null && endOf(model, value) === null)
  if (copy === undefined) return null
  return `An account was added to ${describeUser(model, signedIn.userId)}, but the former session lives on.`
}

/** Only the owner of a session ends it. */
function findLostSession(model: Model, exchange: AnsweredExchange): string | null {
  const { activity, browser, answer, faults, url, method, sessionUserId, sentSessions, endedBefore } = exchange
  const live = sentSessions.find((value) => model.sessions.has(value) && !endedBefore.has(value))
  if (live === undefined || faults.length > 0) return null
  const owner = describeUser(model, model.sessions.get(live)?.userId ?? "")
  const isStranger = activity.person !== browser.person
  // A new session of the same user replaces the old one; `findUnprovenSignIn` judges any other.
  if (isStranger && !answer.session && (answer.session === "" || endOf(model, live) === endedBy(exchange)))
    return `${activity.person.name} signed ${owner} out.`
  const isRead = url.pathname === "/auth/session" && method === "GET" && answer.status === 200
  if (isRead && sessionUserId === null && endOf(model, live) === null && !isFormer(model.sessions.get(live)))
    return `The session of ${owner} was alive, but the service answered null.`
  return null
}
