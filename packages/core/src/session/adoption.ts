import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import { BoundedMap, marksPerProcess } from "../runtime/cache.js"
import type { Clock } from "../types/basics.js"
import type { JWT } from "../types/jwt.js"
import type { SessionFacts } from "./facts.js"
import type { FirstStart } from "./first-start.js"
import type { FormerSessions } from "./former-sessions.js"
import type { SessionRecords } from "./records.js"
import type { SessionRequest } from "./session.js"
import type { TrackingSettings } from "./tracking.js"

/** What an adoption needs. */
export interface AdoptionDeps {
  readonly store: Store
  readonly records: SessionRecords
  /** When a record expires. */
  readonly expiry: { of(claims: JWT): Date }
  readonly firstStart: FirstStart
  readonly formers: FormerSessions
  readonly log: Log
  readonly clock: Clock
}

/** Asks the store for the record of a session. Null if there is none. */
export type Ask = (facts: SessionFacts, claims: JWT) => Promise<SessionFacts | null>

/** Gives sessions from before `session.track` their record. Null for a session that may have none, or whose record was ended. */
export type Adopt = (
  facts: SessionFacts,
  claims: JWT,
  request: SessionRequest | undefined,
) => Promise<SessionFacts | null>

/** How long a request waits for the record that another process may be writing, in milliseconds. */
const patienceMs = 500

/** How often a request looks whether another one of this process has adopted the session, and how long it waits in between. */
const [looks, pauseMs] = [100, 50]

/** Sessions that only this process may adopt, and whose user it could not look up. */
const openUnfinished = marksPerProcess("adopting")

/**
 * A token without a record is from before `session.track`, or from elsewhere: a half of the app without tracking, or another
 * app with the same secret. The latter would bring back sessions that have ended, so only tokens of a time without tracking
 * count, and only until they have ended. Asks the store five times at most.
 */
export function createAdoption(ask: Ask, deps: AdoptionDeps, { adopt }: Pick<TrackingSettings, "adopt">): Adopt {
  const { records, expiry, store, firstStart, formers, log, clock } = deps
  /** Sessions that requests of this process are adopting. */
  const running = new BoundedMap<string, true>(1000)

  async function isFromBefore({ iat }: JWT): Promise<boolean> {
    // One that is older than any session must be refused: nothing keeps longer than that whether it has ended.
    if (typeof iat !== "number" || iat * 1000 + formers.longestMs <= clock()) return false
    if (typeof adopt !== "boolean") return iat * 1000 < adopt.valueOf()
    const start = adopt ? await firstStart.read() : null
    return start !== null && iat <= start
  }

  /** Whether the session never had a record. Otherwise, a copy of its token would bring it back after it was ended. */
  async function isFirst(id: string, expires: Date): Promise<boolean> {
    return openUnfinished().has(id) || formers.begin(id, expires)
  }

  async function find(facts: SessionFacts, claims: JWT): Promise<SessionFacts | null> {
    const seen = await ask(facts, claims)
    if (seen) return seen
    await pause(patienceMs)
    return ask(facts, claims)
  }

  async function write(facts: SessionFacts, claims: JWT, request: SessionRequest | undefined) {
    const { sid: id, userId } = facts
    const expires = expiry.of(claims)
    if (!(await isFirst(id, expires))) return find(facts, claims)
    openUnfinished().add(id)
    const isPermitted = await records.mayAdopt(userId)
    openUnfinished().delete(id)
    if (!isPermitted) return null
    await records.adopt({ id, userId, expires, request, sessionToken: null })
    // What ends the session later finds its record. What ended it before is seen here.
    let isCompleted = false
    try {
      isCompleted = await formers.complete({ id, userId }, expires)
    } finally {
      if (!isCompleted) await records.end({ id, userId })
    }
    return isCompleted ? { ...facts, chk: Math.floor(clock() / 1000) } : null
  }

  return async (facts, claims, request) => {
    // Without these methods, nothing tells a session that never had a record from one that has ended.
    if (!(store.has("consumeOnce") && formers.canEnd && (await isFromBefore(claims)))) {
      if (adopt !== false) log.warnOnce("session-not-adopted")
      return null
    }
    const { sid } = facts
    // Not for its promise: a platform may end the request that adopts the session, and the promise would stay pending.
    for (let n = 0; n < looks && running.has(sid); n++) await pause(pauseMs)
    running.set(sid, true)
    return write(facts, claims, request).finally(() => running.delete(sid))
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
