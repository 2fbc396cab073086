import { sha256Hex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import { toError } from "../errors/auth-error.js"
import { InvalidConfiguration, SessionTokenError, SignOutError } from "../errors/errors.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Store } from "../host/store.js"
import { type CookieJar, toCookieJar } from "../http/cookies.js"
import { BoundedMap } from "../runtime/cache.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { JwtParams } from "../types/callbacks.js"
import type { ResponseCookie } from "../types/http.js"
import type { JWT } from "../types/jwt.js"
import { createRecords, type SessionRecords, toUserId } from "./records.js"
import type { SessionRequest, Sessions, TrackedSession } from "./session.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

type BuildTokens = (callbacks: HostCallbacks) => Sessions

/**
 * Stateless sessions that can be ended. The token has the id of its record (`sid`) and when the store was last asked for it
 * (`chk`). A session that has ended is one that the `jwt` callback refuses, in every path.
 */
export function trackTokens(build: BuildTokens, deps: TrackingDeps, settings: TrackingSettings): Sessions {
  const { callbacks, log, store } = deps
  const records = createRecords(settings, deps)
  const parts: TokenParts = { records, expiry: createExpiry(deps, settings), store, callbacks }
  const { jwt, unanswered } = createJwt(createLookup(parts, deps, settings), parts)
  const sessions = build({ ...callbacks, jwt })

  return {
    start: (signedIn, request) => startTracked({ signedIn, request }, parts, build),

    check: (request, update) =>
      andThen(sessions.check(request, update), (checked) =>
        unanswered.delete(request) ? { session: null, cookies: [] } : checked,
      ),

    findUser: (jar, find) => sessions.findUser(jar, find),

    async renew(request) {
      const parallel = (params: JwtParams) => jwt(params, request)
      return startTracked({ signedIn: null, request }, { ...parts, callbacks: { ...callbacks, jwt: parallel } }, build)
    },

    async copy({ from, request, label }) {
      const asked = { ...request, cookies: from }
      const kept = (params: JwtParams) => jwt(params, asked)
      const [source] = await captureSessions(from, build, { callbacks, jwt: kept })
      // The record is read now: a session that ended since the last lookup must not live on in a copy.
      if (!source || !(await isListed(source, store))) return []
      const start = { signedIn: null, request: asked, source, label }
      const cookies = await startTracked(start, { ...parts, callbacks: { ...callbacks, jwt: kept } }, build)
      if (await isListed(source, store)) return cookies
      // It ended before the copy was there to be ended with it.
      const copies = await captureSessions(toJar(cookies), build, { callbacks, jwt: ({ token }) => token })
      await Promise.all(copies.map((session) => records.end(session)))
      return []
    },

    async end(request) {
      const all = await captureSessions(request.cookies, build, { callbacks, jwt: ({ token }) => token })
      const ended = await sessions.end(request)
      try {
        await Promise.all(all.map((session) => records.end(session)))
      } catch (error) {
        const failure = "The record of a session could not be removed; its cookies are cleared"
        log.error(new SignOutError(failure, toError(error)), request)
      }
      return ended
    },

    async identify(request) {
      const capture = { callbacks, jwt: (params: JwtParams) => jwt(params, request) }
      const [session] = await captureSessions(request.cookies, build, capture)
      return session ?? null
    },
  }
}

interface TrackedJwt {
  /** The host's callback, for sessions that have not ended. */
  jwt(params: JwtParams, request?: object): Awaitable<JWT | null>
  /** Requests whose session could not be looked up. Their cookies stay: an outage must not sign everyone out. */
  readonly unanswered: WeakSet<object>
}

function createJwt(see: Lookup, { records, callbacks }: TokenParts): TrackedJwt {
  const unanswered = new WeakSet<object>()
  /** The host has ended the session, so that it must not stay in the list. The store logs an error. */
  const drop = (facts: SessionFacts) =>
    records.end({ id: facts.sid, userId: facts.userId }).then(
      () => null,
      () => null,
    )
  return {
    unanswered,
    jwt: (params, request) =>
      // as: the strategy passes its own request.
      andThen(see(params.token, request as SessionRequest | undefined), (facts) => {
        if (facts === "unknown" && request) unanswered.add(request)
        if (facts === null || facts === "unknown") return null
        return andThen(callbacks.jwt(params), (kept) => {
          if (facts === "untracked") return kept
          return kept === null ? drop(facts) : withFacts(kept, facts)
        })
      }),
  }
}

async function isListed({ id, userId }: TrackedSession, store: Store): Promise<boolean> {
  return (await store.listSessionsByUserId(userId)).some((detail) => detail.id === id)
}

/** A request's jar with the cookies of an answer. */
function toJar(cookies: readonly ResponseCookie[]): CookieJar {
  return toCookieJar(Object.fromEntries(cookies.map(({ name, value }) => [name, value])))
}

type SignInStart = Pick<Parameters<SessionRecords["begin"]>[0], "signedIn" | "request" | "source" | "label">

/** Starts a session; without a sign-in, gives the current one a new token with a new record. */
async function startTracked(signIn: SignInStart, parts: TokenParts, build: BuildTokens): ReturnType<Sessions["start"]> {
  const { callbacks, records } = parts
  const { signedIn, request, source } = signIn
  // Includes those that the host or the store has ended.
  const former = source ? [] : await captureSessions(request.cookies, build, { callbacks, jwt: ({ token }) => token })
  const begun: TrackedSession[] = []
  const endBegun = () => Promise.all(begun.map((session) => records.end(session)))
  let refusal: unknown
  const jwt = async (params: JwtParams) => {
    const claims = await callbacks.jwt(params)
    if (claims === null) return null
    const facts = await begin(claims, { ...signIn, former }, parts).catch((error: unknown) => {
      // A check would take it for an invalid token.
      if (signedIn) throw error
      refusal = error
      return null
    })
    if (facts === null) return null
    begun.push({ id: facts.sid, userId: facts.userId })
    return withFacts(claims, facts)
  }
  try {
    const built = build({ ...callbacks, jwt })
    if (signedIn) return await built.start(signedIn, request)
    const { session, cookies } = await built.check(request)
    if (session) return cookies
    if (refusal !== undefined) throw refusal
    // A parallel request has renewed it, and its answer has the new token.
    await endBegun()
    return []
  } catch (error) {
    // For example, its token was too large. A record without a session would stay in the list.
    await endBegun()
    throw error
  }
}

/** What a token says about its session. */
interface SessionFacts {
  readonly sid: string
  /** When the store was last asked, in seconds since 1970-01-01T00:00:00Z. */
  readonly chk: number
  readonly userId: string
  /** When the user signed in, in seconds since 1970-01-01T00:00:00Z. Undefined for a session from before. */
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

/** The user whose session it is, whom the host may not show. */
function toOwner({ sub, sid_sub: owner }: JWT): string {
  return typeof owner === "string" ? owner : toUserId(sub)
}

function toTracked(facts: SessionFacts | null): TrackedSession | null {
  return facts && { id: facts.sid, userId: facts.userId }
}

/** The claims with the facts of their session, whether the host's callback dropped, changed or copied them. */
function withFacts(claims: JWT, facts: SessionFacts): JWT {
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
async function findRecordOf(claims: JWT | null): Promise<TrackedSession | null> {
  const facts = readFacts(claims)
  if (facts || !claims?.jti) return toTracked(facts)
  return { id: await toAdoptedId(claims.jti), userId: toUserId(claims.sub) }
}

/** The same for parallel requests with one token from before, so that they get one record. */
async function toAdoptedId(jti: string): Promise<string> {
  return (await sha256Hex(`session ${jti}`)).slice(0, 32)
}

interface TokenParts {
  readonly store: Store
  readonly callbacks: HostCallbacks
  readonly records: SessionRecords
  readonly expiry: Expiry
}

async function begin(
  claims: JWT,
  start: SignInStart & { readonly former: readonly TrackedSession[] },
  parts: TokenParts,
): Promise<SessionFacts> {
  const { store } = parts
  const { signedIn } = start
  if (!signedIn) return beginRecord(toOwner(claims), start, parts)
  const userId = toUserId(claims.sub, signedIn.user.id)
  if (userId === "") {
    const { provider } = signedIn.account
    throw new InvalidConfiguration(`session.track: the user of the provider ${provider} has no id to list sessions by`)
  }
  // A record belongs to a stored user.
  if (signedIn.isUserFromHost && !(await store.getUser(userId))) {
    const path = `providers.${signedIn.account.provider}.authorize`
    throw new InvalidConfiguration(`${path}: with session.track it must return the id of a user that the adapter knows`)
  }
  return beginRecord(userId, start, parts)
}

async function beginRecord(
  userId: string,
  start: SignInStart & { readonly former: readonly TrackedSession[] },
  { records, expiry }: TokenParts,
): Promise<SessionFacts> {
  const sid = randomId(22)
  const { createdAt, lastSeenAt, amr } = await records.begin({ id: sid, userId, expires: expiry.ofNew(), ...start })
  return {
    sid,
    chk: toSeconds(lastSeenAt.valueOf()),
    userId,
    authTime: toSeconds(createdAt.valueOf()),
    amr: amr === "" ? [] : amr.split(" "),
  }
}

interface Capture {
  readonly callbacks: HostCallbacks
  readonly jwt: (params: JwtParams) => Awaitable<JWT | null>
}

/** The sessions of all valid tokens in the cookies that a callback keeps: a neighboring site may have planted the first. */
async function captureSessions(
  jar: CookieJar,
  build: BuildTokens,
  { callbacks, jwt }: Capture,
): Promise<readonly TrackedSession[]> {
  const captured: TrackedSession[] = []
  const capture = async (params: JwtParams) => {
    const session = await findRecordOf(await jwt(params))
    if (session) captured.push(session)
    return null // No user is looked up, and the next token is tried.
  }
  await build({ ...callbacks, jwt: capture }).findUser(jar)
  return captured
}

/** When records expire. */
interface Expiry {
  ofNew(): Date
  of(claims: JWT): Date
}

/**
 * A record outlives the token that is made now by the time until the next lookup. Otherwise the tokens that are made in
 * between would outlive the record.
 */
function createExpiry({ lifetime, config }: TrackingDeps, { checkEvery }: TrackingSettings): Expiry {
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
 */
type Lookup = (
  claims: JWT,
  request: SessionRequest | undefined,
) => Awaitable<SessionFacts | null | "unknown" | "untracked">

/** Sessions whose last lookup a process remembers, for responses that cannot set cookies. */
const maxRemembered = 10_000

/** How many times `checkEvery` a session holds that the store cannot be asked for. */
const holdFactor = 10

function createLookup(
  parts: TokenParts,
  { lifetime, log }: TrackingDeps,
  { checkEvery, whenStoreFails }: TrackingSettings,
): Lookup {
  const { records, expiry, store } = parts
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

  async function lookUp(facts: SessionFacts, claims: JWT, request: SessionRequest | undefined) {
    const now = toSeconds(lifetime.clock())
    try {
      return await ask(facts, now, claims)
    } catch (error) {
      if (whenStoreFails === "hold" && isKnown(facts, now, holdFactor * checkEvery)) return facts
      const failure = new SessionTokenError("The session could not be looked up", toError(error))
      if (!request) throw failure
      log.error(failure, request)
      return "unknown"
    }
  }

  const adopt = createAdoption(ask, parts, { clock: lifetime.clock, whenStoreFails })

  return (claims, request) => {
    const facts = readFacts(claims)
    if (facts && isKnown(facts, toSeconds(lifetime.clock()), checkEvery)) return facts
    if (facts) return lookUp(facts, claims, request)
    if (!records.isAdopting()) return null
    return adopt(claims, request)
  }
}

/** Asks the store for the record of a session. Null if there is none. */
type Ask = (facts: SessionFacts, now: number, claims: JWT) => Promise<SessionFacts | null>

/** Gives sessions from before their first record. */
function createAdoption(
  ask: Ask,
  { records, expiry, store }: TokenParts,
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

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
