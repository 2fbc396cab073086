import { sha256Hex } from "../crypto/hash.js"
import type { Store } from "../host/store.js"
import { toDate } from "../runtime/merge.js"
import type { AdapterSession } from "../types/adapter.js"
import type { SessionRowStore } from "./database.js"
import { createFirstStart } from "./first-start.js"
import { createFormerSessions, type FormerSessions } from "./former-sessions.js"
import { createRecords, type SessionRecords, toUserId } from "./records.js"
import type { Lifetime, SessionCopy, SessionRequest, Sessions, SignedIn, TrackedSession } from "./session.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

type BuildRows = (store: SessionRowStore) => Sessions

/** Stored sessions with a record each, which is written with the row and removed with it. The row decides who is signed in. */
export function trackRows(build: BuildRows, deps: TrackingDeps, settings: TrackingSettings): Sessions {
  const { store, lifetime } = deps
  const firstStart = createFirstStart(store, lifetime.clock)
  const formers = createFormerSessions({ ...deps, firstStart }, settings)
  const records = createRecords(settings, deps, formers)
  const rows = forwardRows(store, records)
  const tracked = { store, records, formers, settings, lifetime }

  /** The rows of a session that begins, of one that gets a new token, or of a copy. */
  function recordCreated(signedIn: SignedIn | null, request: SessionRequest, copy?: SessionCopy): SessionRowStore {
    const { former, getSessionAndUser } = recordFound(store)
    async function createSession(row: AdapterSession): Promise<AdapterSession> {
      const id = await toRecordId(row.sessionToken)
      const { userId, expires } = row
      const copied = copy ? { former: [], source: former.at(-1), ...copy } : { former }
      const detail = await records.begin({ id, userId: toUserId(userId), expires, signedIn, request, row, ...copied })
      if (!detail) throw new SessionOver()
      return row
    }
    return { ...rows, getSessionAndUser, createSession }
  }

  return {
    start: (signedIn, request) => build(recordCreated(signedIn, request)).start(signedIn, request),

    async renew(request, copy) {
      const { renew } = build(recordCreated(null, request, copy))
      return (await unlessOver(renew?.(request, copy))) ?? []
    },

    async check(request, update) {
      const { former, getSessionAndUser, rowOf } = recordFound(store)
      const updateSession: Store["updateSession"] = async (changes) => {
        const row = await store.updateSession(changes)
        const session = former.at(-1)
        const { expires } = changes
        if (!row || !session || !expires) return row
        const used = { ...changes, ...session, expires, formerExpiry: rowOf(session)?.expires, request }
        if (await moveRecord(used, tracked)) return row
        await rows.deleteSession(changes.sessionToken)
        return null
      }
      return build({ ...rows, getSessionAndUser, updateSession }).check(request, update)
    },

    findUser: (jar) => build(rows).findUser(jar),
    end: (request) => build(rows).end(request),
    endFormer: (findUserId) => formers.endAll(findUserId),

    async identify(request) {
      const { former, getSessionAndUser, rowOf } = recordFound(store)
      const user = await build({ ...rows, getSessionAndUser }).findUser(request.cookies)
      const session = former.at(-1)
      const row = session && rowOf(session)
      if (!user || !row) return null
      if ((await store.listSessionsByUserId(session.userId)).some(({ id }) => id === session.id)) return session
      return (await adoptRecord({ ...row, ...session, formerExpiry: row.expires, request }, tracked)) ? session : null
    },
  }
}

/** A session that was to get a new token has ended meanwhile. */
class SessionOver extends Error {}

/** Undefined for a session that has ended meanwhile. */
async function unlessOver<T>(renewal: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await renewal
  } catch (error) {
    if (error instanceof SessionOver) return undefined
    throw error
  }
}

/** The id that a list shows: it does not reveal the token, which has at least 96 random bits. */
async function toRecordId(sessionToken: string): Promise<string> {
  return (await sha256Hex(`session ${sessionToken}`)).slice(0, 32)
}

/** The methods of the store, which end the record of a session with its row. */
function forwardRows(store: Store, records: SessionRecords): SessionRowStore {
  return {
    createSession: (row) => store.createSession(row),
    getSessionAndUser: (token) => store.getSessionAndUser(token),
    getUser: (id) => store.getUser(id),
    updateSession: (changes) => store.updateSession(changes),
    async deleteSession(token) {
      const removed = (await store.deleteSession(token)) ?? null
      if (removed?.userId) await records.end({ id: await toRecordId(token), userId: toUserId(removed.userId) })
      return removed
    },
  }
}

/** Finds sessions as the store does, and remembers them in their order. */
function recordFound(store: Store) {
  const former: TrackedSession[] = []
  /** Copies: some stores change the row that they returned. */
  const rowsFound = new Map<TrackedSession, Pick<AdapterSession, "sessionToken" | "expires">>()
  const getSessionAndUser: Store["getSessionAndUser"] = async (token) => {
    const found = await store.getSessionAndUser(token)
    if (found?.user && found.session?.sessionToken === token) {
      const session = { id: await toRecordId(token), userId: toUserId(found.user.id) }
      former.push(session)
      rowsFound.set(session, { sessionToken: token, expires: toDate(found.session.expires) })
    }
    return found
  }
  return {
    former,
    getSessionAndUser,
    rowOf: (session: TrackedSession) => rowsFound.get(session),
  }
}

interface Tracked {
  readonly store: Store
  readonly records: SessionRecords
  readonly formers: FormerSessions
  readonly settings: TrackingSettings
  readonly lifetime: Lifetime
}

interface UsedRow extends TrackedSession {
  readonly sessionToken: string
  readonly expires: Date
  /** When the row expired before this use. */
  readonly formerExpiry: Date | undefined
  readonly request: SessionRequest
}

/** Notes the use of a session whose row was extended. False if it has no record and may not get one. */
async function moveRecord(used: UsedRow, tracked: Tracked): Promise<boolean> {
  const { id, userId, expires } = used
  try {
    const seenAt = new Date(tracked.lifetime.clock())
    return (
      (await tracked.store.seeSession({ id, userId, seenAt, expires })) !== null || (await adoptRecord(used, tracked))
    )
  } catch (error) {
    if (tracked.settings.whenStoreFails === "refuse") throw error
    return true // The row shows that the session is alive. The store has logged the error.
  }
}

/**
 * Creates the record of a session from before `session.track`. False if it may not get one, or ended meanwhile. Another app
 * with the same database may have written the row, without asking for a second factor.
 */
async function adoptRecord(used: UsedRow, { records, formers, settings, lifetime }: Tracked): Promise<boolean> {
  const { adopt } = settings
  const lastExtension = (used.formerExpiry?.valueOf() ?? Number.NaN) - lifetime.maxAge * 1000
  const isFromBefore = typeof adopt === "boolean" ? adopt : lastExtension < adopt.valueOf()
  if (!(isFromBefore && (await records.mayAdopt(used.userId)) && (await records.adopt(used)))) return false
  if (!(await formers.isEnded(used.userId))) return true
  await records.end(used)
  return false
}
