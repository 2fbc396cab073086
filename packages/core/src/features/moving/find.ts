import { sha256Hex } from "../../crypto/hash.js"
import { toError } from "../../errors/auth-error.js"
import { AdapterError, SessionTokenError, TooManyRequests } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import type { SentRequest } from "../../host/client-address.js"
import { cleanError } from "../../host/redact.js"
import { BoundedMap } from "../../runtime/cache.js"
import { toIdText } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { SessionRequest, SignedIn } from "../../session/session.js"
import type { ActionContext } from "../feature.js"
import { type Moving, toMoving } from "./lead.js"
import type { FoundReading, Reading, Source } from "./source.js"
import { type ForeignValue, listValues, toReaderVisit } from "./values.js"

/** What a request's cookies of other libraries are. */
export interface Found {
  /** The first that is a session, and has an owner who may have it. */
  readonly moving: Moving | null
  /** The sources all of whose values are worthless for ever. */
  readonly over: readonly Source[]
}

/** Values that were no session, by their hashes. The same browser sends the same again and again. */
const knownVerdicts = new BoundedMap<string, { readonly kind: "refused" | "over"; readonly atMs: number }>(10_000)

/** How long such a value is not read again. Not longer: the visitor may sign in at the former app, which keeps the cookie. */
const knownMs = 60_000

/** A visit whose sender may be known. */
export type Visit = SessionRequest & Partial<Pick<SentRequest, "method">>

/**
 * Finds the first session among the values of the cookies.
 * @throws TooManyRequests if the network sent too many values that were none
 */
export async function findMoving(sources: readonly Source[], visit: Visit, context: ActionContext): Promise<Found> {
  const over: Source[] = []
  for (const source of sources) {
    const kinds = new Set<Reading["kind"]>()
    for (const foreign of listValues(visit.cookies, source)) {
      const reading = await readCounted({ source, foreign }, visit, context)
      kinds.add(reading.kind)
      if (reading.kind !== "found") continue
      const moving = await findOwned({ source, reading, value: foreign.value }, context)
      if (moving) return { moving, over }
    }
    if (kinds.size === 1 && kinds.has("over")) over.push(source)
  }
  return { moving: null, over }
}

/** A value of one of the cookies of a source. */
export interface Candidate {
  readonly source: Source
  readonly foreign: ForeignValue
}

/** Counts the value before it is first read, and takes that back if it is a session. */
async function readCounted(candidate: Candidate, visit: Visit, context: ActionContext): Promise<Reading> {
  const { source, foreign } = candidate
  const { reader } = source
  // Such as the signature, which may have a cookie of its own: with a forged one, anyone could spoil a value of others.
  const companions = listValues(visit.cookies, { names: reader.companions?.(foreign.name) ?? [], reader })
  const read = [context.secrets[0], reader.name, foreign.name, foreign.value, companions]
  const key = await sha256Hex(JSON.stringify(read))
  const known = knownVerdicts.get(key)
  const nowMs = systemClock()
  if (known && Math.abs(nowMs - known.atMs) < knownMs) return { kind: known.kind }
  const counted = known ? null : await count(visit, context)
  const reading = await readValue(candidate, visit, context)
  if (reading.kind === "found") await counted?.succeed()
  else if (reading.kind !== "unknown") knownVerdicts.set(key, { kind: reading.kind, atMs: nowMs })
  return reading
}

async function count(visit: Visit, { limits }: ActionContext): Promise<{ succeed(): Promise<void> }> {
  const { headers, url, method = "GET", context = {} } = visit
  // A function for servers does not know who sent the request.
  if (!headers || !url) return { succeed: async () => {} }
  return limits.tryMove({ headers, url, method: method === "POST" ? "POST" : "GET", context })
}

/** Reads one value. If the source cannot be asked, this is logged, and the visitor is signed out until it can. */
export async function readValue(
  { source, foreign: { name, value } }: Candidate,
  visit: SessionRequest,
  { log }: ActionContext,
): Promise<Reading> {
  try {
    return await source.read(value, toReaderVisit(source, visit.cookies, name))
  } catch (thrown) {
    if (thrown instanceof TooManyRequests) throw thrown
    const err = cleanError(toError(thrown), [value, visit.cookies])
    const about = because("callback-threw", { callback: "session.accept" })
    log.error(new SessionTokenError(`A session of ${source.reader.name} could not be read`, { err, ...about }), visit)
    return { kind: "unknown" }
  }
}

interface Owned {
  readonly source: Source
  readonly reading: FoundReading
  readonly value: string
}

/** Null without an owner here, if the app does not allow the session, or if its absolute lifetime is over. */
async function findOwned(owned: Owned, context: ActionContext): Promise<Moving | null> {
  const { source, reading } = owned
  const { absoluteMaxAge } = context.config.session
  const { startedAt } = reading
  if (absoluteMaxAge && startedAt && startedAt.valueOf() + absoluteMaxAge * 1000 <= systemClock()) return null
  const subject = await source.toSubject(reading)
  const user = subject === "" ? null : await findOwner(owned, subject, context)
  if (!user) return null
  const found = { claims: reading.claims, subject, user, concerns: reading.concerns ?? [] }
  return (await source.allows(found)) ? toMoving({ ...owned, subject }, user, context) : null
}

async function findOwner(
  { source, reading }: Owned,
  subject: string,
  { store, log }: ActionContext,
): Promise<SignedIn["user"] | null> {
  const { owner = "id" } = source.options
  // The id of an account could be that of another user. The half of the app that has the adapter knows its owner.
  if (!store) return owner === "id" ? { ...reading.user, id: subject } : null
  try {
    const user =
      owner === "id"
        ? await store.getUser(subject)
        : await store.getUserByAccount({ provider: owner.provider, providerAccountId: subject })
    if (user && toIdText(user.id) !== "") return user
  } catch (error) {
    // Such as a text that is no UUID. The store has logged it.
    if (!(error instanceof AdapterError)) throw error
    return null
  }
  log.warnOnce("accept-user-unknown", `session.accept: ${source.reader.name}`)
  return null
}
