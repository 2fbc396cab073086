import { toError } from "../errors/auth-error.js"
import { AdapterError, SessionTokenError } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import { BoundedMap } from "../runtime/cache.js"
import type { Awaitable } from "../types/basics.js"
import type { JWT } from "../types/jwt.js"
import { type AdoptionDeps, createAdoption } from "./adoption.js"
import { readFacts, type SessionFacts, toAdoptedFacts } from "./facts.js"
import type { SessionRecords } from "./records.js"
import type { SessionRequest } from "./session.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

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
 * The facts of a session that has not ended. Null if it has; `unknown` if the store cannot be asked.
 * @param isAskedNow Asks the store even if it was asked a moment ago, and throws if it does not answer. Default: false.
 */
export type Lookup = (
  claims: JWT,
  request: SessionRequest | undefined,
  isAskedNow?: boolean,
) => Awaitable<SessionFacts | null | "unknown">

/** Sessions whose last lookup a process remembers, for responses that cannot set cookies. */
const maxRemembered = 10_000

/** How many times `checkEvery` a session holds that the store cannot be asked for. */
const holdFactor = 10

export function createLookup(deps: AdoptionDeps, { lifetime, log }: TrackingDeps, settings: TrackingSettings): Lookup {
  const { records, expiry, store } = deps
  const { checkEvery, whenStoreFails } = settings
  const remembered = new BoundedMap<string, number>(maxRemembered)
  /** Whether the last lookup, as far as the token and this process know, was in the last seconds. */
  const isKnown = ({ sid, chk }: SessionFacts, now: number, seconds: number) =>
    isWithin(chk, now, seconds) || isWithin(remembered.get(sid), now, seconds)

  async function ask(facts: SessionFacts, claims: JWT): Promise<SessionFacts | null> {
    const { sid: id, userId } = facts
    const seenAt = lifetime.clock()
    const seen = await store.seeSession({ id, userId, seenAt: new Date(seenAt), expires: expiry.of(claims) })
    remembered.delete(id)
    return seen && { ...facts, chk: toSeconds(seenAt) }
  }

  const adopt = createAdoption(ask, deps, settings)

  async function lookUp(
    facts: SessionFacts,
    find: () => Promise<SessionFacts | null>,
    { request, isAskedNow }: { readonly request: SessionRequest | undefined; readonly isAskedNow: boolean },
  ) {
    const now = toSeconds(lifetime.clock())
    try {
      const found = await find()
      if (found) remembered.set(found.sid, now)
      return found
    } catch (error) {
      if (!isAskedNow && whenStoreFails === "hold" && isKnown(facts, now, holdFactor * checkEvery)) return facts
      const failure = new SessionTokenError("The session could not be looked up", toError(error))
      if (!request) throw failure
      // The store has logged its own.
      if (error instanceof AdapterError) log.recordFailure(failure, request)
      else log.error(failure, request)
      return "unknown"
    }
  }

  /** For a token without a record. Where no cookie can be set, this process may have adopted its session before. */
  async function lookUpUnrecorded(claims: JWT, request: SessionRequest | undefined, isAskedNow: boolean) {
    const facts = await toAdoptedFacts(claims)
    if (!facts) return null
    const isAdopted = remembered.has(facts.sid)
    const find = () => (isAdopted ? ask(facts, claims) : adopt(facts, claims, request))
    return lookUp(facts, find, { request, isAskedNow })
  }

  return (claims, request, isAskedNow = false) => {
    const facts = readFacts(claims)
    if (facts && !isAskedNow && isKnown(facts, toSeconds(lifetime.clock()), checkEvery)) return facts
    if (facts) return lookUp(facts, () => ask(facts, claims), { request, isAskedNow })
    return records.isAdopting() ? lookUpUnrecorded(claims, request, isAskedNow) : null
  }
}

/** A time in the future does not count: a clock that was set back must not keep a session from being looked up. */
function isWithin(time: number | undefined, now: number, seconds: number): boolean {
  return time !== undefined && time <= now && now - time < seconds
}

export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
