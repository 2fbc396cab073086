import type { AdapterSession } from "../contract/adapter.js"
import type { Clock } from "../contract/clock.js"
import type { CookieOption } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"
import { InvalidConfiguration } from "../errors/configuration.js"
import { SessionTokenError, SignOutError } from "../errors/flow.js"
import { toError } from "../errors/to-error.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { clearChunks, readCandidates, toChunks } from "./chunks.js"
import { type FoundSession, findStoredSession, isSessionToken, toDate } from "./find-stored-session.js"
import type { CheckedSession, EndedSession, Sessions, SessionUpdate, SignedIn } from "./sessions.js"

/** Characters. Of base 64 these are 96 bits; shorter ones can be guessed. */
const minTokenLength = 16

type SessionStore = Pick<Store, "getUser" | "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">

export interface StoredNeeds {
  readonly cookie: CookieOption
  readonly store: SessionStore
  readonly callbacks: Pick<HostCallbacks, "session">
  readonly events: Events
  readonly log: Log
  readonly clock: Clock
  /** Idle lifetime in seconds. */
  readonly maxAge: number
  /** Seconds between two extensions. */
  readonly updateAge: number
  readonly generateSessionToken: () => string
}

/** Sessions that live in the host's store; the cookie holds a random value that finds them. */
export function storedSessions(needs: StoredNeeds): Sessions {
  return {
    start: (signedIn, jar) => startSession(needs, signedIn, jar),
    check: (jar, update) => checkSession(needs, jar, update),
    findUser: async (jar) => (await findLive(needs, jar))?.user ?? null,
    end: (jar) => endSession(needs, jar),
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
  if (signedIn.isSignedInAlready && current?.user.id === userId) return toCookies(needs, current.session, jar)
  if (current && current.user.id !== userId) await needs.store.deleteSession(current.session.sessionToken)
  const sessionToken = newSessionToken(needs)
  const created = await needs.store.createSession({ sessionToken, userId, expires: expiryOf(needs) })
  return toCookies(needs, created, jar)
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

async function checkSession(needs: StoredNeeds, jar: CookieJar, update?: SessionUpdate): Promise<CheckedSession> {
  try {
    const found = await findLive(needs, jar)
    if (!found) return { session: null, cookies: clearChunks(jar, needs.cookie) }
    return await showSession(needs, found, jar, update)
  } catch (error) {
    // A store that is away for a moment must not sign everybody out: the cookie stays.
    needs.log.error(new SessionTokenError("The stored session could not be read", toError(error)))
    return { session: null, cookies: [] }
  }
}

async function showSession(
  needs: StoredNeeds,
  found: FoundSession,
  jar: CookieJar,
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
  await needs.events.send("session", { session })
  return { session, cookies: toCookies(needs, row, jar) }
}

/** At most once in `updateAge` seconds: most requests of a signed-in person write nothing. */
async function extend(needs: StoredNeeds, session: AdapterSession): Promise<AdapterSession> {
  const { clock, maxAge, updateAge, store } = needs
  const isDue = session.expires.valueOf() - maxAge * 1000 + updateAge * 1000 <= clock()
  if (!isDue) return session
  const expires = expiryOf(needs)
  await store.updateSession({ sessionToken: session.sessionToken, expires })
  return { ...session, expires }
}

/** Of several cookies of the name the first one that finds a session: a neighbouring site may have planted the others. */
async function findLive(needs: StoredNeeds, jar: CookieJar): Promise<FoundSession | null> {
  for (const token of readCandidates(jar, needs.cookie.name)) {
    const found = await findStoredSession(needs, token)
    if (found) return found
  }
  return null
}

/** Removes what each cookie of the name finds: this browser is done with all of them. */
async function endSession(needs: StoredNeeds, jar: CookieJar): Promise<EndedSession> {
  const cookies = clearChunks(jar, needs.cookie)
  const tokens = readCandidates(jar, needs.cookie.name).filter(isSessionToken)
  if (tokens.length === 0) return { message: null, cookies }
  try {
    const removed = await Promise.all(tokens.map((token) => needs.store.deleteSession(token)))
    return { message: { session: removed.find((session) => session) ?? null }, cookies }
  } catch (error) {
    needs.log.error(new SignOutError("The stored session could not be removed; its cookie is cleared", toError(error)))
    return { message: null, cookies }
  }
}

/** The cookie lives as long as the row, not longer. */
function toCookies(needs: StoredNeeds, row: AdapterSession, jar: CookieJar): readonly ResponseCookie[] {
  const { cookie } = needs
  const expires = toDate(row.expires) ?? expiryOf(needs)
  return toChunks({ name: cookie.name, value: row.sessionToken, options: { ...cookie.options, expires } }, jar)
}

function expiryOf({ clock, maxAge }: StoredNeeds): Date {
  return new Date(clock() + maxAge * 1000)
}
