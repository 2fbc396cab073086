import { toError } from "../errors/auth-error.js"
import { InvalidConfiguration, SessionTokenError, SignOutError } from "../errors/errors.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { CookieJar } from "../http/cookies.js"
import type { Log } from "../log/log.js"
import type { AdapterSession, AdapterUser } from "../types/adapter.js"
import type { Clock } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import { clearChunks, readCandidates, toChunks } from "./cookies.js"
import {
  type CheckedSession,
  type EndedSession,
  expiryOf,
  findMarkedStart,
  isOver,
  type Lifetime,
  markStart,
  type Sessions,
  type SessionUpdate,
  type SessionVisit,
  type SignedIn,
  startNow,
} from "./session.js"

/** Characters. Of base 64 these are 96 bits; shorter ones can be guessed. */
const minTokenLength = 16

type SessionStore = Pick<Store, "getUser" | "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">

interface StoredNeeds extends Lifetime {
  readonly cookie: CookieOption
  /** Cookies that one session may take. Default: 20. */
  readonly maxChunks?: number
  readonly store: SessionStore
  readonly callbacks: Pick<HostCallbacks, "session">
  readonly events: Events
  readonly log: Log
  /** Seconds between two extensions. */
  readonly updateAge: number
  readonly generateSessionToken: () => string
}

/** Sessions that live in the host's store; the cookie holds a random value that finds them. */
export function storedSessions(needs: StoredNeeds): Sessions {
  return {
    start: (signedIn, jar) => startSession(needs, signedIn, jar),
    check: (request, update) => checkSession(needs, request, update),
    findUser: async (jar) => (await findLive(needs, jar))?.user ?? null,
    end: (request) => endSession(needs, request),
  }
}

/** A session token of a new session is always new: one that somebody planted in the browser is worth nothing. */
async function startSession(
  needs: StoredNeeds,
  signedIn: SignedIn,
  jar: CookieJar,
): Promise<readonly ResponseCookie[]> {
  const current = await findLive(needs, jar)
  const userId = await getStoredUserId(needs, signedIn)
  if (current?.user.id === userId && signedIn.isSignedInAlready) {
    const session = signedIn.isAccountAdded ? await renew(needs, current.session) : current.session
    return toCookies(needs, session, jar)
  }
  if (current && current.user.id !== userId) await needs.store.deleteSession(current.session.sessionToken)
  const start = startNow(needs)
  const sessionToken = markStart(newSessionToken(needs), start)
  const created = await needs.store.createSession({ sessionToken, userId, expires: expiryOf(needs, start) })
  return toCookies(needs, created, jar)
}

/** The same session under a new token: whoever came to know the old one has no part in what was added (ASVS 7.2.4). */
async function renew(needs: StoredNeeds, { sessionToken, userId, expires }: AdapterSession): Promise<AdapterSession> {
  const fresh = markStart(newSessionToken(needs), findMarkedStart(sessionToken, needs))
  const created = await needs.store.createSession({ sessionToken: fresh, userId, expires })
  await needs.store.deleteSession(sessionToken)
  return created
}

/** A stored session belongs to a stored user, also where `authorize` of a credentials provider said who it is. */
async function getStoredUserId({ store }: StoredNeeds, { user, account }: SignedIn): Promise<string> {
  const id = user.id ?? ""
  if (account.type !== "credentials") return id
  const known = id === "" ? null : await store.getUser(id)
  if (known) return known.id
  throw new InvalidConfiguration(
    `providers.${account.provider}.authorize: with stored sessions it must return the id of a user that the adapter knows`,
  )
}

function newSessionToken({ generateSessionToken }: StoredNeeds): string {
  const token: unknown = generateSessionToken()
  if (typeof token === "string" && token.length >= minTokenLength) return token
  throw new InvalidConfiguration(
    `session.generateSessionToken: must return at least ${minTokenLength} random characters`,
  )
}

async function checkSession(
  needs: StoredNeeds,
  request: SessionVisit,
  update?: SessionUpdate,
): Promise<CheckedSession> {
  try {
    const found = await findLive(needs, request.cookies)
    if (!found) return { session: null, cookies: clearChunks(request.cookies, needs.cookie) }
    return await showSession(needs, found, request, update)
  } catch (error) {
    // A store that is away for a moment must not sign everybody out: the cookie stays.
    needs.log.error(new SessionTokenError("The stored session could not be read", toError(error)), request)
    return { session: null, cookies: [] }
  }
}

async function showSession(
  needs: StoredNeeds,
  found: FoundSession,
  request: SessionVisit,
  update: SessionUpdate | undefined,
): Promise<CheckedSession> {
  const { user } = found
  const row = await extend(needs, found.session)
  const session = await needs.callbacks.session({
    // The contract gives the callback the row itself, whose expiry is a `Date`; the client gets what it returns.
    session: { ...row, user } as never,
    user,
    ...(update && { ...update, trigger: "update" }),
  })
  await needs.events.send("session", { session }, request)
  return { session, cookies: toCookies(needs, row, request.cookies) }
}

/** At most once in `updateAge` seconds: most requests of a signed-in person write nothing. */
async function extend(needs: StoredNeeds, session: AdapterSession): Promise<AdapterSession> {
  const { clock, maxAge, updateAge, store } = needs
  const isDue = session.expires.valueOf() - maxAge * 1000 + updateAge * 1000 <= clock()
  if (!isDue) return session
  const start = findMarkedStart(session.sessionToken, needs)
  const expires = expiryOf(needs, start)
  if (isAtCap(needs, { start, expires, session })) return session
  await store.updateSession({ sessionToken: session.sessionToken, expires })
  return { ...session, expires }
}

interface Extension {
  readonly start: number | undefined
  readonly expires: Date
  readonly session: AdapterSession
}

/** Nothing is gained any more (stores may keep whole seconds), or nobody knows when the session began: it runs out. */
function isAtCap({ absoluteMaxAge }: StoredNeeds, { start, expires, session }: Extension): boolean {
  if (absoluteMaxAge === undefined) return false
  return start === undefined || expires.valueOf() - session.expires.valueOf() < 1000
}

/**
 * Of several cookies of the name the first one that finds a session: a neighbouring site may have planted the others.
 */
async function findLive(needs: StoredNeeds, jar: CookieJar): Promise<FoundSession | null> {
  for (const token of readCandidates(jar, needs.cookie.name, needs.maxChunks)) {
    const found = await findStoredSession(needs, token)
    if (found && isOver(needs, findMarkedStart(token, needs))) await needs.store.deleteSession(token)
    else if (found) return found
  }
  return null
}

/** Removes what each cookie of the name finds: this browser is done with all of them. */
async function endSession(needs: StoredNeeds, request: SessionVisit): Promise<EndedSession> {
  const jar = request.cookies
  const cookies = clearChunks(jar, needs.cookie)
  const tokens = readCandidates(jar, needs.cookie.name, needs.maxChunks).filter(isSessionToken)
  if (tokens.length === 0) return { message: null, cookies }
  try {
    const removed = await Promise.all(tokens.map((token) => needs.store.deleteSession(token)))
    return { message: { session: removed.find((session) => session) ?? null }, cookies }
  } catch (error) {
    const failure = "The stored session could not be removed; its cookie is cleared"
    needs.log.error(new SignOutError(failure, toError(error)), request)
    return { message: null, cookies }
  }
}

/** The cookie lives as long as the row, not longer. */
function toCookies(needs: StoredNeeds, row: AdapterSession, jar: CookieJar): readonly ResponseCookie[] {
  const { cookie } = needs
  const expires = toDate(row.expires) ?? expiryOf(needs, findMarkedStart(row.sessionToken, needs))
  return toChunks(
    { name: cookie.name, value: row.sessionToken, options: { ...cookie.options, expires } },
    jar,
    needs.maxChunks,
  )
}

interface FoundSession {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** Longer than any token that a generator makes; a store should not be asked for more. */
const maxTokenLength = 1024

/**
 * Whether a store can be asked about this text. A NUL byte ends a text in some of them, which would find another row.
 */
function isSessionToken(text: string): boolean {
  return text !== "" && text.length <= maxTokenLength && !text.includes("\0")
}

/** The row of a session token and its user, if it is alive. A row that has expired or lost its user is removed. */
async function findStoredSession(
  { store, clock }: { readonly store: Pick<Store, "getSessionAndUser" | "deleteSession">; readonly clock: Clock },
  token: string,
): Promise<FoundSession | null> {
  if (!isSessionToken(token)) return null
  const found = await store.getSessionAndUser(token)
  // Stores may compare without regard to case; the token is compared exactly here.
  if (found?.session?.sessionToken !== token) return null
  const expires = toDate(found.session.expires)
  const isExpired = expires === null || expires.valueOf() <= clock()
  if (isExpired || !found.user) {
    await store.deleteSession(token)
    return null
  }
  return { user: { ...found.user }, session: { ...found.session, expires } }
}

/**
 * Adapters hand over dates, but some hand over what the driver gave them. Null: no date at all, which counts as past.
 */
function toDate(value: unknown): Date | null {
  const date =
    value instanceof Date
      ? value
      : new Date(typeof value === "string" || typeof value === "number" ? value : Number.NaN)
  return Number.isNaN(date.valueOf()) ? null : date
}
