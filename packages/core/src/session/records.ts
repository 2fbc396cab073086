import { AccessDenied } from "../errors/errors.js"
import { isSameId, isShortText, toIdText } from "../runtime/id.js"
import { toDate } from "../runtime/merge.js"
import type { AdapterSession, AdapterUser } from "../types/adapter.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"
import { createDescribeDevice, unknownDevice } from "./device.js"
import type { FormerSessions } from "./former-sessions.js"
import type { MovedSession, SessionRequest, SignedIn, TrackedSession } from "./session.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

/** The records of sessions, as both strategies write them. */
export interface SessionRecords {
  /**
   * Writes the record of a new session, with its row, and ends the former sessions of the browser, as each new
   * sign-in does (OWASP ASVS 7.2.4).
   * @returns null if the session that was to get a new token has ended meanwhile, or got one by a parallel request: there is
   *   no new one then
   * @throws AccessDenied if the user has as many sessions as `maxPerUser` allows
   */
  begin(beginning: Beginning): Promise<AdapterSessionDetail | null>
  /**
   * Writes the record of a session from before `session.track`. Its user does not count as recently signed in. False if the
   * stored session no longer exists.
   */
  adopt(session: AdoptedSession): Promise<boolean>
  /** Whether sessions from before `session.track` get a record. */
  isAdopting(): boolean
  /** Whether a session of this user may get a record without a sign-in: the user still exists, and needs no second factor. */
  mayAdopt(userId: string): Promise<boolean>
  /** Ends one session. */
  end(session: TrackedSession): Promise<void>
}

interface AdoptedSession extends TrackedSession {
  readonly expires: Date
  /** Undefined where only the user is looked up. The device is then unknown. */
  readonly request: SessionRequest | undefined
  /** The token of a stored session. */
  readonly sessionToken: string | null
}

interface Beginning extends TrackedSession {
  readonly expires: Date
  /** Null for a session that only gets a new token. */
  readonly signedIn: SignedIn | null
  readonly request: SessionRequest
  /** The sessions that the browser had before. */
  readonly former: readonly TrackedSession[]
  /** The row of a stored session. */
  readonly row?: AdapterSession
  /** The session that it is a copy of, which goes on. */
  readonly source?: TrackedSession | undefined
  /** A name for the device, where the app's own function gives none. */
  readonly label?: string | undefined
}

export function createRecords(
  settings: TrackingSettings,
  deps: TrackingDeps,
  formers: Pick<FormerSessions, "endOne" | "longestMs">,
): SessionRecords {
  const { store, lifetime, config, log, admits } = deps
  const { maxPerUser: limit, adopt } = settings
  const describeDevice = createDescribeDevice(settings.device, config, log)

  /** Returns 1, or 0 if it has already ended. */
  async function end({ userId, id, isUnrecorded }: TrackedSession): Promise<number> {
    if (isUnrecorded && (await formers.endOne(id, new Date(lifetime.clock() + formers.longestMs)))) return 0
    return store.endSessions({ userId, id })
  }

  return {
    async begin(beginning) {
      const { id, userId, signedIn, former, row, source } = beginning
      const own = former.filter((session) => isSameId(session.userId, userId))
      const detail: AdapterSessionDetail = {
        ...(await describe(beginning, own, deps)),
        ...(await describeDevice(beginning.request, beginning.label)),
      }
      const isRenewal = !signedIn && !source && own.length > 0
      const isOver = (ended: readonly number[]) => isRenewal && ended.every((count) => count === 0)
      // A browser that signs in again must not be refused for its own former session.
      if (limit && isOver(await Promise.all(own.map(end)))) return null
      const isCreated = await store.createSessionDetail(detail, {
        ...(row && { session: row }),
        ...(limit && { limit }),
      })
      if (!isCreated) throw new AccessDenied("The user has as many sessions as session.track.maxPerUser allows")
      await Promise.all(former.filter((session) => !own.includes(session)).map(end))
      // Last: a session that ends in between takes the new one along, or is seen here.
      if (limit || !isOver(await Promise.all(own.map(end)))) return detail
      await end({ userId, id })
      return null
    },

    async adopt({ id, userId, expires, request, sessionToken }) {
      const now = new Date(lifetime.clock())
      return store.createSessionDetail({
        ...{ id, userId, sessionToken, provider: "", providerAccountId: "", providerSession: null, amr: "" },
        ...{ createdAt: now, lastSeenAt: now, expires },
        ...(request ? await describeDevice(request) : unknownDevice),
      })
    },

    isAdopting: () => adopt !== false,

    mayAdopt: async (userId) => isAdmitted(await store.getUser(userId), admits),

    end: async (session) => void (await end(session)),
  }
}

/** The record of a session that begins, without its device. */
async function describe(
  { id, userId, expires, signedIn, row, source }: Beginning,
  own: readonly TrackedSession[],
  { lifetime, store }: TrackingDeps,
) {
  const now = new Date(lifetime.clock())
  const isProof = signedIn && !signedIn.isAccountAdded
  const proven = source ? [source] : own
  return {
    ...{ id, userId, sessionToken: row?.sessionToken ?? null, lastSeenAt: now, expires },
    ...(signedIn?.moved
      ? { ...unknownProof, amr: "", createdAt: toBeginning(signedIn.moved, now) }
      : isProof
        ? toProof(signedIn, now)
        : await findProof(proven, signedIn, now, store)),
  }
}

async function isAdmitted(user: AdapterUser | null | undefined, admits: TrackingDeps["admits"]): Promise<boolean> {
  return user !== null && user !== undefined && admits(user)
}

/** How and when a user proved who they are. */
type ProofOfUser = Pick<
  AdapterSessionDetail,
  "provider" | "providerAccountId" | "providerSession" | "amr" | "createdAt"
>

function toProof({ account, achieved, profile }: SignedIn, createdAt: Date): ProofOfUser {
  // Claims of a verified ID token only: in another profile `sid` may be anything.
  const sid = account.type === "oidc" ? profile?.["sid"] : undefined
  return {
    provider: account.provider,
    providerAccountId: account.providerAccountId,
    // No logout token names another one, and some stores refuse it.
    providerSession: isShortText(sid) ? sid : null,
    amr: achieved.join(" "),
    createdAt,
  }
}

/** Never in the future: a clock elsewhere may be ahead. */
function toBeginning({ startedAt }: MovedSession, now: Date): Date {
  return startedAt === undefined ? now : new Date(Math.min(startedAt * 1000, now.valueOf()))
}

const unknownProof = { provider: "", providerAccountId: "", providerSession: null }

/**
 * The proof of the former session, for one that gets a new token, and for an account that was added to the user who was
 * signed in: a thief could add their own, and would then count as the user who has just signed in.
 */
async function findProof(
  own: readonly TrackedSession[],
  added: SignedIn | null,
  now: Date,
  store: TrackingDeps["store"],
): Promise<ProofOfUser> {
  const [first] = own
  const details = first ? await store.listSessionsByUserId(first.userId) : []
  const found = details.find(({ id }) => own.some((session) => session.id === id))
  if (!found) return { ...(added ? toProof(added, now) : unknownProof), createdAt: now, amr: "" }
  const { provider, providerAccountId, providerSession, amr, createdAt } = found
  return { provider, providerAccountId, providerSession, amr, createdAt: toDate(createdAt) }
}

/** The id of a user as text, or "" if it identifies no one. */
export function toUserId(...ids: readonly unknown[]): string {
  return ids.map(toIdText).find((text) => text !== "") ?? ""
}
