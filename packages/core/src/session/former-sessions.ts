import { sha256Hex } from "../crypto/hash.js"
import type { Awaitable } from "../types/basics.js"
import type { FirstStart } from "./first-start.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

/**
 * Ends sessions from before `session.track`. They have no record that could be removed until their next use gives them one,
 * so the store keeps that they ended, for as long as they could still get one.
 */
export interface FormerSessions {
  /**
   * Ends those of a user. Asks the store only while sessions from before may still get a record.
   * @param findUserId "" if there is no such user.
   */
  endAll(findUserId: () => Awaitable<string>): Promise<void>
  /** Ends one. True if it will never have a record; false if it may have one by now, which is then to be ended. */
  endOne(id: string, expires: Date): Promise<boolean>
  /** Begins to give a session its record. True once for each session, and never for one that has ended. */
  begin(id: string, expires: Date): Promise<boolean>
  /** To be asked when the record is stored: false if the session has ended since then, so that its record must go too. */
  complete(session: { readonly id: string; readonly userId: string }, expires: Date): Promise<boolean>
  /** Like {@link complete}, for a stored session, which is ended by its row. */
  isEnded(userId: string): Promise<boolean>
  /** Whether the store can keep that the sessions of a user ended. Otherwise, a stateless session gets no record. */
  readonly canEnd: boolean
  /** How long a session that is not used lives, in milliseconds. */
  readonly longestMs: number
}

interface FormerDeps extends Pick<TrackingDeps, "store" | "lifetime" | "config"> {
  readonly firstStart: FirstStart
}

/** Whoever holds the lease of a user: a lease can be asked for without changing it. */
const holders = { ended: "ended", asking: "asking" }

/** How long one that only asks has the lease, in milliseconds. Whoever ends the sessions takes it away. */
const askingMs = 1000

/** How often the lease is taken away from those that ask. */
const maxTries = 10

export function createFormerSessions(
  { store, firstStart, lifetime, config }: FormerDeps,
  { adopt }: Pick<TrackingSettings, "adopt">,
): FormerSessions {
  const { clock } = lifetime
  const longestMs = Math.max(lifetime.maxAge, config.jwt.maxAge) * 1000
  const canEnd = store.has("takeLease") && store.has("dropLease")
  const toLeaseId = (userId: string) => sha256Hex(`sessions from before of ${userId}`)
  const consume = async (use: string, id: string, expires: Date) =>
    (await store.consumeOnce(await sha256Hex(`${use} session ${id}`), expires)) === true

  /** When the last session from before expires, in milliseconds since 1970-01-01T00:00:00Z. */
  async function findEndMs(): Promise<number> {
    if (typeof adopt !== "boolean") return adopt.valueOf() + longestMs
    if (!adopt) return 0
    const start = await firstStart.read()
    return (start === null ? clock() : start * 1000) + longestMs
  }

  async function isEnded(userId: string): Promise<boolean> {
    if (!canEnd) return false
    const until = new Date(clock() + askingMs)
    return (await store.takeLease({ id: await toLeaseId(userId), holder: holders.asking, until })) !== true
  }

  return {
    canEnd,
    longestMs,
    isEnded,

    async endAll(findUserId) {
      if (!canEnd) return
      const endMs = await findEndMs()
      if (endMs <= clock()) return
      const userId = await findUserId()
      if (userId === "") return
      const id = await toLeaseId(userId)
      for (let tries = 0; tries < maxTries; tries++) {
        if (await store.takeLease({ id, holder: holders.ended, until: new Date(endMs) })) return
        await store.dropLease({ id, holder: holders.asking })
      }
      throw new Error("The sessions from before session.track could not be ended: the store does not give the lease")
    },

    async endOne(id, expires) {
      if (!store.has("consumeOnce") || (await findEndMs()) <= clock()) return false
      if (await consume("adopted", id, expires)) return true
      // An adoption that is under way sees it when the record is stored, and ends the record.
      await consume("completed", id, expires)
      return false
    },

    begin: (id, expires) => consume("adopted", id, expires),

    async complete({ id, userId }, expires) {
      const [isOpen, isOver] = await Promise.all([consume("completed", id, expires), isEnded(userId)])
      return isOpen && !isOver
    },
  }
}
