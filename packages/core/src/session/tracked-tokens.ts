import { randomId } from "../crypto/random.js"
import { toError } from "../errors/auth-error.js"
import { InvalidConfiguration, SessionTokenError, SignOutError } from "../errors/errors.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Store } from "../host/store.js"
import { type CookieJar, toSetJar } from "../http/cookies.js"
import { toDate } from "../runtime/merge.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { JwtParams } from "../types/callbacks.js"
import type { ResponseCookie } from "../types/http.js"
import type { JWT } from "../types/jwt.js"
import { findRecordOf, type SessionFacts, toOwner, withFacts } from "./facts.js"
import { createFirstStart } from "./first-start.js"
import { createFormerSessions } from "./former-sessions.js"
import { createRecords, type SessionRecords, toUserId } from "./records.js"
import type { SessionCopy, SessionRequest, Sessions, TrackedSession } from "./session.js"
import { createExpiry, createLookup, type Lookup, type LookupDeps, toSeconds } from "./token-lookup.js"
import type { TrackingDeps, TrackingSettings } from "./tracking.js"

type BuildTokens = (callbacks: HostCallbacks) => Sessions

/**
 * Stateless sessions that can be ended. The token has the id of its record (`sid`) and when the store was last asked for it
 * (`chk`). A session that has ended is one that the `jwt` callback refuses, in every path.
 */
export function trackTokens(build: BuildTokens, deps: TrackingDeps, settings: TrackingSettings): Sessions {
  const { callbacks, log, store } = deps
  const firstStart = createFirstStart(store, deps.lifetime.clock)
  const formers = createFormerSessions({ ...deps, firstStart }, settings)
  const records = createRecords(settings, deps, formers)
  const parts: TokenParts = { records, expiry: createExpiry(deps, settings), store, callbacks }
  const lookup = createLookup({ ...parts, firstStart, formers, log, clock: deps.lifetime.clock }, deps, settings)
  const { jwt, unanswered } = createJwt(lookup, parts)
  const sessions = build({ ...callbacks, jwt })
  const asked = createJwt((claims, request) => lookup(claims, request, true), parts)
  const askedSessions = build({ ...callbacks, jwt: asked.jwt })

  return {
    async start(signedIn, request) {
      const [cookies] = await Promise.all([
        startTracked({ signedIn, request }, parts, build),
        settings.adopt === true && firstStart.note(),
      ])
      return cookies
    },

    check: (request, update) =>
      andThen(sessions.check(request, update), (checked) =>
        unanswered.delete(request) ? { session: null, cookies: [], isUnknown: true } : checked,
      ),

    findUser: (jar, find, remember) => (find ? sessions.findUser(jar, find, remember) : askedSessions.findUser(jar)),

    async renew(request, copy) {
      const parallel = (params: JwtParams) => jwt(params, request)
      const own = { ...parts, callbacks: { ...callbacks, jwt: parallel } }
      return copy ? copyTracked(request, copy, own, build) : startTracked({ signedIn: null, request }, own, build)
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

    endFormer: (findUserId) => formers.endAll(findUserId),

    async identify(request) {
      const capture = { callbacks, jwt: (params: JwtParams) => jwt(params, request) }
      const [session] = await captureSessions(request.cookies, build, capture)
      if (!session && unanswered.delete(request)) throw new SessionTokenError("The session could not be looked up")
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
          return kept === null ? drop(facts) : withFacts(kept, facts)
        })
      }),
  }
}

/** Copies the session of a request, unless it has ended or ends meanwhile. */
async function copyTracked(
  request: SessionRequest,
  { label }: SessionCopy,
  parts: TokenParts,
  build: BuildTokens,
): Promise<readonly ResponseCookie[]> {
  const { callbacks, records, store } = parts
  const [source] = await captureSessions(request.cookies, build, { callbacks, jwt: callbacks.jwt })
  // The record is read now: a session that ended since the last lookup must not live on in a copy.
  if (!source || !(await isListed(source, store))) return []
  const cookies = await startTracked({ signedIn: null, request, source, label }, parts, build)
  if (await isListed(source, store)) return cookies
  // It ended before the copy was there to be ended with it.
  const copies = await captureSessions(toSetJar(cookies), build, { callbacks, jwt: ({ token }) => token })
  await Promise.all(copies.map((session) => records.end(session)))
  return []
}

async function isListed({ id, userId }: TrackedSession, store: Store): Promise<boolean> {
  return (await store.listSessionsByUserId(userId)).some((detail) => detail.id === id)
}

type SignInStart = Pick<Parameters<SessionRecords["begin"]>[0], "signedIn" | "request" | "source" | "label">

/** Starts a session; without a sign-in, gives the current one a new token with a new record. */
async function startTracked(
  signIn: SignInStart,
  parts: TokenParts,
  build: BuildTokens,
): Promise<readonly ResponseCookie[]> {
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
    // It has ended, or a parallel request has renewed it, and its answer has the new token.
    await endBegun()
    return []
  } catch (error) {
    // For example, its token was too large. A record without a session would stay in the list.
    await endBegun()
    throw error
  }
}

interface TokenParts extends LookupDeps {
  readonly callbacks: HostCallbacks
}

async function begin(
  claims: JWT,
  start: SignInStart & { readonly former: readonly TrackedSession[] },
  parts: TokenParts,
): Promise<SessionFacts | null> {
  const { store } = parts
  const { signedIn } = start
  if (!signedIn) return beginRecord(toOwner(claims), start, parts)
  // The claims of another library may name its own user.
  const userId = signedIn.moved ? toUserId(signedIn.user.id) : toUserId(claims.sub, signedIn.user.id)
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
): Promise<SessionFacts | null> {
  const moved = start.signedIn?.moved
  const sid = moved?.sid ?? randomId(22)
  const detail = moved?.record ?? (await records.begin({ id: sid, userId, expires: expiry.ofNew(), ...start }))
  if (!detail) return null
  const { createdAt, lastSeenAt, amr } = detail
  return {
    sid,
    chk: toSeconds(toDate(lastSeenAt).valueOf()),
    userId,
    authTime: toSeconds(toDate(createdAt).valueOf()),
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
