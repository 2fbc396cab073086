import { FreshnessRequired, InvalidConfiguration } from "../errors/errors.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import { toDate } from "../runtime/merge.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"
import { nameDevice } from "./device.js"
import type { SessionRequest, Sessions, TrackedSession } from "./session.js"

/** A session as its user may see it. It holds no token and no address. */
export interface SessionView {
  /** Identifies the session for `endSession`. It is not a token and gives no access. */
  readonly id: string
  /** When the user signed in, or when a session from before `session.track` was first seen. */
  readonly createdAt: Date
  /** When the session was last used, as exactly as `checkEvery` or `session.updateAge` tell. */
  readonly lastSeenAt: Date
  /** The browser and the system in words, such as `Firefox on Windows`. Null if unknown. */
  readonly device: string | null
  /** The user agent as it was sent; at most 256 characters. Untrusted: a visitor can send any text. */
  readonly userAgent: string | null
  /** The network that the user signed in from, such as `192.0.2.0/24` or `2001:db8:7::/48`. */
  readonly network: string | null
  /** The name that the option `device` gave. */
  readonly label: string | null
  /**
   * Id of the provider that the user signed in with. Null for a session from before `session.track`, and for one that began
   * when an account was added to a session which had ended.
   */
  readonly provider: string | null
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean
}

/** What a user can do with their own sessions. */
export interface OwnSessions {
  /** The live sessions of the user, the current one first, then the last used. Null when signed out. */
  list(request: SessionRequest): Promise<readonly SessionView[] | null>
  /** Ends one session. False when signed out, and if the user has no session with this id. */
  end(request: SessionRequest, id: string): Promise<boolean>
  /**
   * Ends all sessions of the user but the current one. Returns how many.
   * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
   */
  endOthers(request: SessionRequest): Promise<number>
  /** Ends one session of the given user, without checking who is signed in. Returns 1, or 0 if it has already ended. */
  endOne(userId: string, id: string, context: LogContext): Promise<number>
  /** Ends all sessions of a user, or all but one. Returns how many. */
  endAll(userId: string, except: string | undefined, context: LogContext): Promise<number>
}

interface OwnSessionsDeps {
  /** Told before all sessions of a user end, or all but one. */
  readonly features: readonly { onEndAll?(userId: string, store: Store): Promise<void> }[]
  readonly sessions: Sessions
  readonly store: Store | null
  readonly events: Events
  readonly log: Log
  /** Whether the user re-authenticated recently, with every factor they have. Default: never. */
  readonly isFresh?: (request: SessionRequest) => Promise<boolean>
}

interface CurrentSession {
  readonly current: AdapterSessionDetail
  /** All live sessions of the user. */
  readonly details: readonly AdapterSessionDetail[]
}

/** @throws InvalidConfiguration without `session.track` */
export function ownSessions(deps: OwnSessionsDeps): OwnSessions {
  const { sessions, store, features, events, log, isFresh = async () => false } = deps
  const { identify } = sessions
  if (!identify || !store) {
    throw new InvalidConfiguration(
      "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }",
    )
  }

  const find = async (request: SessionRequest) => findCurrent(await identify(request), store)

  /** Removes sessions, and tells the host about it. */
  async function end(
    selection: { readonly userId: string; readonly id: string } | { readonly userId: string; readonly except?: string },
    context: LogContext,
  ): Promise<number> {
    const { userId } = selection
    if (store && !("id" in selection)) await tellFeatures(userId, features, store)
    // First: one that gets its record now is ended with the others.
    if (!("id" in selection)) await sessions.endFormer?.(async () => userId)
    const count = (await store?.endSessions(selection)) ?? 0
    if (count === 0) return 0
    log.record({ kind: "sessions-ended", userId }, context)
    await events.send("sessionsEnded", { userId, count }, context)
    return count
  }

  return {
    async list(request) {
      const found = await find(request)
      if (!found) return null
      const { current, details } = found
      const others = details.filter((detail) => detail !== current)
      others.sort((one, other) => other.lastSeenAt.valueOf() - one.lastSeenAt.valueOf())
      return [current, ...others].map((detail) => toView(detail, detail === current))
    },

    async end(request, id) {
      const found = await find(request)
      if (!found?.details.some((detail) => detail.id === id)) return false
      return (await end({ userId: found.current.userId, id }, request)) > 0
    },

    async endOthers(request) {
      const found = await find(request)
      if (!found) return 0
      if (!(await isFresh(request)))
        throw new FreshnessRequired(
          "The user must re-authenticate to end all other sessions: the last sign-in is too old",
        )
      return end({ userId: found.current.userId, except: found.current.id }, request)
    },

    endOne: (userId, id, context) => end({ userId, id }, context),
    endAll: (userId, except, context) => end({ userId, ...(except !== undefined && { except }) }, context),
  }
}

async function tellFeatures(userId: string, features: OwnSessionsDeps["features"], store: Store): Promise<void> {
  for (const feature of features) await feature.onEndAll?.(userId, store)
}

/** The current session with all others. Also null if the session has ended, even within `checkEvery`. */
async function findCurrent(session: TrackedSession | null, store: Store): Promise<CurrentSession | null> {
  if (!session) return null
  const details = (await store.listSessionsByUserId(session.userId)).map(toDetail)
  const current = details.find(({ id }) => id === session.id)
  return current ? { current, details } : null
}

/** With dates, whatever the adapter has in their place. */
function toDetail(row: AdapterSessionDetail): AdapterSessionDetail {
  return { ...row, createdAt: toDate(row.createdAt), lastSeenAt: toDate(row.lastSeenAt) }
}

function toView(detail: AdapterSessionDetail, isCurrent: boolean): SessionView {
  const { id, createdAt, lastSeenAt, userAgent, network, label, provider, amr } = detail
  return {
    id,
    createdAt,
    lastSeenAt,
    device: nameDevice(userAgent),
    userAgent,
    network,
    label,
    provider: amr === "" ? null : provider,
    isCurrent,
  }
}
