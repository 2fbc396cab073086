import { type AnsweredExchange, type Exchange, isRefusal, type Write } from "./exchange.js"
import type { SessionFacts } from "./facts.js"
import { describeUser, endedBy, type Model } from "./model.js"
import { halfPath } from "./people.js"

/** Whether a request reached the half of the app that does not track its sessions. */
export function isOfHalf({ url }: Pick<Exchange, "url">): boolean {
  return url.pathname.startsWith(`${halfPath}/`)
}

/**
 * Remembers a session of the half. One that it has renewed keeps its record. One that it began has none, so that nothing could
 * end it: elsewhere it is worth nothing.
 */
export function noteHalf(exchange: AnsweredExchange, { sessions }: Model): void {
  const { answer, signedIn, sessionUserId, sentSessions } = exchange
  const userId = signedIn?.userId ?? sessionUserId
  if (!answer.session || userId === null) return
  const sent = sentSessions.map((value) => sessions.get(value))
  const tracked = sent.find((each) => each?.userId === userId && each.sid !== null && !each.isFromBefore)
  const untracked = { userId, sid: null, ended: "the half does not track it" }
  sessions.set(answer.session, { ...(signedIn ? untracked : (tracked ?? untracked)), parts: answer.sessionParts })
}

const before = "from before "

/** A session from before the app tracked them, until its first use gives it a record. */
export function createFormer(userId: string): SessionFacts {
  return { userId, sid: `${before}${userId}`, parts: [], isFromBefore: true, ended: null }
}

/** Whether a session has no record yet. */
export function isFormer(session: SessionFacts | undefined): boolean {
  return session?.sid?.startsWith(before) ?? false
}

/** What ends all sessions of a user ends those without a record too. */
export function endFormers({ sessions }: Model, exchange: Exchange, userId: string): void {
  for (const session of sessions.values()) {
    if (isFormer(session) && session.userId === userId) session.ended ??= endedBy(exchange)
  }
}

/** A sign-out ends the browser's session, and a new sign-in the one before it, whether it has a record or not. */
export function endOwnFormers(exchange: AnsweredExchange, model: Model): void {
  const { answer, url, method, signedIn, faults, sentSessions } = exchange
  const isSignOut = method === "POST" && url.pathname === "/auth/signout" && !isRefusal(answer)
  if (faults.length > 0 || !(isSignOut || signedIn)) return
  for (const value of sentSessions) {
    const session = model.sessions.get(value)
    if (!session?.isFromBefore) continue
    const { sid } = session
    if (isFormer(session)) session.ended ??= endedBy(exchange)
    // A request that is under way has just stored the record. It sees that the session ended, and takes the record back.
    else if (sid !== null && model.records.get(sid)?.begunBy.answer === null && !model.revoked.has(sid)) {
      const deadFromMs = model.now() + (model.promises.tracking?.boundMs ?? 0)
      model.revoked.set(sid, { by: endedBy(exchange), deadFromMs })
    }
  }
}

/**
 * The first use of a session from before gives it a record: without a sign-in, so only where a sign-in would not be asked for
 * a second factor. Returns whether the record is for such a session.
 */
export function adoptFormer(model: Model, exchange: Exchange, { args: [detail] }: Pick<Write, "args">): boolean {
  const { id, userId, provider } = Object(detail)
  const isOwn = (session: SessionFacts | undefined) => isFormer(session) && session?.userId === userId
  const adopted = exchange.sentSessions.filter((value) => isOwn(model.sessions.get(value)))
  if (provider !== "" || adopted.length === 0) return false
  for (const value of adopted) {
    const session = model.sessions.get(value)
    if (session) model.sessions.set(value, { ...session, sid: id })
  }
  const isGated = [...model.factors].some(
    ([key, factor]) => factor.userId === userId && factor.kind === "totp" && exchange.factorsBefore.has(key),
  )
  const sentence = `A session of ${describeUser(model, userId)} from before goes on without the second factor.`
  if (isGated) model.violations.push({ rule: "second-factor", sentence })
  return true
}
