import { sha256Hex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import { toError } from "../errors/auth-error.js"
import { SessionTokenError } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import { BoundedMap } from "../runtime/cache.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { JWT } from "../types/jwt.js"
import { type SessionRecords, toUserId } from "./records.js"
import type { SessionRequest, TrackedSession } from "./session.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

/** What a token says about its session. */
export interface SessionFacts {
  readonly sid: string
  /** When the store was last asked, in seconds since 1970-01-01T00:00:00Z. */
  readonly chk: number
  readonly userId: string
  /** When the user signed in, in seconds since 1970-01-01T00:00:00Z. Undefined for a session from before `session.track`. */
  readonly authTime: number | undefined
  readonly amr: readonly unknown[]
}

function readFacts(claims: JWT | null): SessionFacts | null {
  if (claims === null) return null
  const { sid, chk, auth_time: authTime, amr } = claims
  if (typeof sid !== "string" || typeof chk !== "number") return null
  return {
    sid,
    chk,
    userId: toOwner(claims),
    authTime: typeof authTime === "number" ? authTime : undefined,
    amr: Array.isArray(amr) ? amr : [],
  }
}

/** The user of the session. The host's callbacks may show another one. */
export function toOwner({ sub, sid_sub: owner }: JWT): string {
  if (typeof owner === "string") return owner
  return typeof sub === "string" ? sub : toUserId(sub)
}

/** The claims with the facts of their session, whether the host's callback dropped, changed or copied them. */
export function withFacts(claims: JWT, facts: SessionFacts): JWT {
  // The usual check: the callback returns what it got, and the store was not asked.
  if (hasFacts(claims, facts)) return claims
  const { sid, chk, userId, authTime, amr } = facts
  const token: JWT = { ...claims, sid, chk, amr }
  if (authTime !== undefined) token["auth_time"] = authTime
  // The host may show another user than the one who signed in, whose session it is.
  if (claims.sub !== userId || "sid_sub" in claims) token["sid_sub"] = userId
  return token
}

function hasFacts(claims: JWT, { sid, chk, userId, authTime, amr }: SessionFacts): boolean {
  const { sub, sid_sub: owner, auth_time: start } = claims
  const isSame = claims["sid"] === sid && claims["chk"] === chk && claims["amr"] === amr && start === authTime
  return isSame && sub === userId && owner === undefined
}

/** The record of a token, or the one that a token from before would get. */
export async function findRecordOf(claims: JWT | null): Promise<TrackedSession | null> {
  const facts = readFacts(claims)
  if (facts) return { id: facts.sid, userId: facts.userId }
  if (!claims?.jti) return null
  return { id: await toAdoptedId(claims.jti), userId: toUserId(claims.sub) }
}

/** The same for parallel requests with one token from before, so that they get one record. */
async function toAdoptedId(jti: string): Promise<string> {
  return (await sha256Hex(`session ${jti}`)).slice(0, 32)
}

/** What a lookup needs. */
export interface LookupDeps {
  readonly store: Store
  readonly records: SessionRecords
  readonly expiry: Expiry
}

/** When records expire. */
export interface Expiry {
  ofNew(): Date
  of(claims: JWT): Date
}

/**
 * A record outlives the token that is made now by the time until the next lookup. Otherwise the tokens that are made in
 * between would outlive the record.
 */
export function createExpiry({ lifetime, config }: TrackingDeps, { checkEvery }: TrackingSettings): Expiry {
  const after = (start: number | undefined) => {
    const end = Math.min(lifetime.expires(start).valueOf(), lifetime.clock() + config.jwt.maxAge * 1000)
    return new Date(end + checkEvery * 1000)
  }
  return {
    ofNew: () => after(lifetime.startNow()),
    of: ({ auth_time: start }) => after(typeof start === "number" ? start : lifetime.startNow()),
  }
}

/**
 * The facts of a session that has not ended. Null if it has; `unknown` if the store cannot be asked; `untracked` for a
 * session from before that has no record yet.
 * @param isAskedNow Asks the store even if it was asked a moment ago, and throws if it does not answer. Default: false.
 */
export type Lookup = (
  claims: JWT,
  request: SessionRequest | undefined,
  isAskedNow?: boolean,
) => Awaitable<SessionFacts | null | "unknown" | "untracked">

/** Sessions whose last lookup a process remembers, for responses that cannot set cookies. */
const maxRemembered = 10_000

/** How many times `checkEvery` a session holds that the store cannot be asked for. */
const holdFactor = 10

export function createLookup(
  deps: LookupDeps,
  { lifetime, log }: TrackingDeps,
  { checkEvery, whenStoreFails }: TrackingSettings,
): Lookup {
  const { records, expiry, store } = deps
  const remembered = new BoundedMap<string, number>(maxRemembered)
  /** Whether the last lookup, as far as the token and this process know, was in the last seconds. */
  const isKnown = ({ sid, chk }: SessionFacts, now: number, seconds: number) =>
    isWithin(chk, now, seconds) || isWithin(remembered.get(sid), now, seconds)

  async function ask(facts: SessionFacts, now: number, claims: JWT): Promise<SessionFacts | null> {
    const { sid: id, userId } = facts
    const seen = await store.seeSession({ id, userId, seenAt: new Date(lifetime.clock()), expires: expiry.of(claims) })
    remembered.delete(id)
    if (!seen) return null
    remembered.set(id, now)
    return { ...facts, chk: now }
  }

  async function lookUp(
    facts: SessionFacts,
    claims: JWT,
    { request, isAskedNow }: { readonly request: SessionRequest | undefined; readonly isAskedNow: boolean },
  ) {
    const now = toSeconds(lifetime.clock())
    try {
      return await ask(facts, now, claims)
    } catch (error) {
      if (!isAskedNow && whenStoreFails === "hold" && isKnown(facts, now, holdFactor * checkEvery)) return facts
      const failure = new SessionTokenError("The session could not be looked up", toError(error))
      if (!request) throw failure
      log.error(failure, request)
      return "unknown"
    }
  }

  const adopt = createAdoption(ask, deps, { clock: lifetime.clock, whenStoreFails })

  return (claims, request, isAskedNow = false) => {
    const facts = readFacts(claims)
    if (facts && !isAskedNow && isKnown(facts, toSeconds(lifetime.clock()), checkEvery)) return facts
    if (facts) return lookUp(facts, claims, { request, isAskedNow })
    if (!records.isAdopting()) return null
    return adopt(claims, request)
  }
}

/** Asks the store for the record of a session. Null if there is none. */
type Ask = (facts: SessionFacts, now: number, claims: JWT) => Promise<SessionFacts | null>

/** Creates the records of sessions from before `session.track`. */
function createAdoption(
  ask: Ask,
  { records, expiry, store }: LookupDeps,
  { clock, whenStoreFails }: Pick<TrackingSettings, "whenStoreFails"> & { readonly clock: Clock },
): Lookup {
  async function adopt(claims: JWT, request: SessionRequest | undefined) {
    const userId = toUserId(claims.sub)
    if (userId === "") return null
    const { jti } = claims
    // Without an id of the token, each use would make another record, so it takes a response that sets the new token.
    if (jti === undefined && !request) return "untracked"
    const sid = jti === undefined ? randomId(22) : await toAdoptedId(jti)
    const now = toSeconds(clock())
    const facts = { sid, chk: now, userId, authTime: undefined, amr: [] }
    try {
      return (await ask(facts, now, claims)) ?? (await writeFirstRecord(facts, claims, request))
    } catch {
      // A parallel request with the same token may have written the record.
      const seen = await ask(facts, now, claims).catch(() => null)
      return seen ?? (whenStoreFails === "hold" ? "untracked" : "unknown")
    }
  }

  /** Null if the session had a record, which was ended: copies of the token from before must not bring it back. */
  async function writeFirstRecord(facts: SessionFacts, claims: JWT, request: SessionRequest | undefined) {
    const { sid: id, userId, chk } = facts
    const expires = expiry.of(claims)
    const mark = await sha256Hex(`adopted session ${id}`)
    if (store.has("consumeOnce") && (await store.consumeOnce(mark, expires)) !== true) {
      return awaitRecord(() => ask(facts, chk, claims))
    }
    await records.adopt({ id, userId, expires, request, sessionToken: null })
    return facts
  }

  return adopt
}

/** How long a request waits for the record that a parallel one writes, in milliseconds, and how often it looks. */
const patienceMs = 1000
const pauseMs = 50

/** The record that a parallel request is writing. Null if the session has ended. */
async function awaitRecord(ask: () => Promise<SessionFacts | null>): Promise<SessionFacts | null> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pauseMs) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const seen = await ask()
    if (seen) return seen
  }
  return null
}

/** A time in the future does not count: a clock that was set back must not keep a session from being looked up. */
function isWithin(time: number | undefined, now: number, seconds: number): boolean {
  return time !== undefined && time <= now && now - time < seconds
}

export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
