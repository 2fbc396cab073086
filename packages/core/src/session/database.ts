import { toError } from "../errors/auth-error.js"
import { AdapterError, InvalidConfiguration, SessionTokenError, SignOutError } from "../errors/errors.js"
import { threwIn } from "../errors/failure-reason.js"
import type { Store } from "../host/store.js"
import type { CookieJar } from "../http/cookies.js"
import type { Log } from "../log/log.js"
import { isSameId } from "../runtime/id.js"
import { copyFields } from "../runtime/instance.js"
import { isPlain, toDate } from "../runtime/merge.js"
import type { AdapterSession, AdapterUser } from "../types/adapter.js"
import type { Clock } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import { clearSessionCookies, readSessionCookies, writeSessionCookies } from "./cookies.js"
import type {
  CheckedSession,
  Lifetime,
  MovedSession,
  SessionDeps,
  SessionRequest,
  SessionStart,
  Sessions,
  SessionUpdate,
  SignedIn,
} from "./session.js"

/** What stored sessions need of the store. */
export type SessionRowStore = Pick<
  Store,
  "createSession" | "deleteSession" | "getSessionAndUser" | "getUser" | "updateSession"
>

export interface DatabaseSessionOptions {
  readonly store: SessionRowStore
  /** Seconds between two extensions. */
  readonly updateAge: number
  readonly generateSessionToken: () => string
}

/** Sessions that live in the host's store. The cookie holds a random token, which is the key of the row. */
export function databaseSessions(
  options: DatabaseSessionOptions,
  deps: SessionDeps,
): Required<Omit<Sessions, "identify" | "endFormer">> {
  const { store } = options
  const { cookie, log } = deps
  const rows = sessionRows(options, deps)

  return {
    async start(signedIn, { cookies: jar }) {
      const former = await rows.find(jar, maxTokens)
      const [current] = former
      const userId = await getStoredUserId(store, signedIn)
      // Each proof of who someone is ends the former session of the browser, OWASP ASVS 7.2.4. All of them: the first may
      // have been planted by a neighboring site.
      const isSame = current !== undefined && isSameId(current.user.id, userId) && signedIn.isSignedInAlready
      const session = isSame ? await rows.renew(current.session) : await rows.create(userId, signedIn.moved)
      return replace(former, session, { rows, store, jar })
    },

    async check(request, update) {
      try {
        const [found] = await rows.find(request.cookies)
        if (!found) return { session: null, cookies: clearSessionCookies(request.cookies, cookie) }
        return await showSession({ found, request, update }, rows, deps)
      } catch (error) {
        return toUnread(error, request, log)
      }
    },

    findUser: async (jar) => (await rows.find(jar))[0]?.user ?? null,

    async renew({ cookies: jar }, copy) {
      const former = await rows.find(jar)
      const [current] = former
      // Without one, a parallel request has renewed it, and its answer has the new token.
      return current ? replace(copy ? [] : former, await rows.renew(current.session), { rows, store, jar }) : []
    },

    /** Deletes the session of each cookie of the name, not only the first: this browser is done with all of them. */
    async end(request) {
      const cookies = clearSessionCookies(request.cookies, cookie)
      const tokens = readTokens(request.cookies, cookie.name)
      if (tokens.length === 0) return { message: null, cookies }
      try {
        const removed = await Promise.all(tokens.map((token) => store.deleteSession(token)))
        return { message: { session: removed.find((session) => session) ?? null }, cookies }
      } catch (error) {
        const failure = "The stored session could not be deleted"
        log.error(new SignOutError(failure, toError(error)), request)
        return { message: null, cookies }
      }
    },
  }
}

/** The answer when the session could not be read. The cookie stays: a short outage of the store must not sign everyone out. */
function toUnread(error: unknown, request: SessionRequest, log: Log): CheckedSession {
  const isOfStore = error instanceof AdapterError
  const err = toError(error)
  const cause = isOfStore ? err : threwIn("callbacks.session", err)
  const failure = new SessionTokenError("The stored session could not be read", cause)
  if (!isOfStore) {
    log.error(failure, request)
    return { session: null, cookies: [] }
  }
  // The store has logged it.
  log.recordFailure(failure, request)
  return { session: null, cookies: [], isUnknown: true }
}

interface Replacing {
  readonly rows: SessionRows
  readonly store: SessionRowStore
  readonly jar: CookieJar
}

/** Ends the former sessions of the browser. Returns the cookies of the new one. */
async function replace(
  former: readonly FoundSession[],
  session: AdapterSession,
  { rows, store, jar }: Replacing,
): Promise<readonly ResponseCookie[]> {
  for (const { session: ended } of former) await store.deleteSession(ended.sessionToken)
  return rows.toCookies(session, jar)
}

/** A session belongs to a stored user, even when `authorize` of a credentials provider returned the user. */
async function getStoredUserId(store: SessionRowStore, { user, account, isUserFromHost }: SignedIn): Promise<string> {
  const id = user.id ?? ""
  if (!isUserFromHost) return id
  const known = id === "" ? null : await store.getUser(id)
  if (known) return known.id
  throw new InvalidConfiguration(
    `providers.${account.provider}.authorize: with database sessions it must return the id of a user that the adapter knows`,
  )
}

interface FoundSession {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

interface SessionCheck {
  readonly found: FoundSession
  readonly request: SessionRequest
  readonly update: SessionUpdate | undefined
}

/** Extends the session if that is due, and shows it as the `session` callback returns it. */
async function showSession(
  { found, request, update }: SessionCheck,
  rows: SessionRows,
  { cookie, callbacks, events, log }: SessionDeps,
): Promise<CheckedSession> {
  const { user } = found
  const row = await rows.extend(found.session)
  if (!row) return { session: null, cookies: clearSessionCookies(request.cookies, cookie) }
  // The contract gives the callback the row itself, whose expiry is a `Date`; the client gets what it returns.
  const shown = { session: { ...row, user } as never, user, ...(update && { ...update, trigger: "update" as const }) }
  const session = await callbacks.session(shown, request)
  if (session === undefined) log.warnOnce("session-callback-empty")
  await events.send("session", { session }, request)
  return { session, cookies: rows.toCookies(row, request.cookies) }
}

interface SessionRows {
  /**
   * The session of the first cookie that belongs to one: a neighboring site may have planted the others.
   * @param most How many sessions to find. Default: 1.
   */
  find(jar: CookieJar, most?: number): Promise<readonly FoundSession[]>
  /** Always with a new token: one that was planted in the browser must not become a session (session fixation). */
  create(userId: string, moved?: MovedSession): Promise<AdapterSession>
  /** A copy of the row under a new token. */
  renew(session: AdapterSession): Promise<AdapterSession>
  /**
   * At most once in `updateAge` seconds, so that most requests write nothing. Null if the session was ended meanwhile,
   * such as by a sign-out everywhere.
   */
  extend(session: AdapterSession): Promise<AdapterSession | null>
  /** The cookies of a session. They expire with the row. */
  toCookies(row: AdapterSession, jar: CookieJar): readonly ResponseCookie[]
}

/** The session table, with the lifetime of its rows. */
function sessionRows(
  { store, updateAge, generateSessionToken }: DatabaseSessionOptions,
  deps: SessionDeps,
): SessionRows {
  const { cookie, maxChunks, lifetime } = deps
  const { clock, maxAge } = lifetime

  return {
    async find(jar, most = 1) {
      const all: FoundSession[] = []
      for (const token of readTokens(jar, cookie.name)) {
        const found = await findSession(store, clock, token)
        if (found && lifetime.isOver(startOf(token, lifetime))) await store.deleteSession(token)
        else if (found && all.push(found) === most) break
      }
      return all
    },

    async create(userId, moved) {
      if (moved) {
        const { token: sessionToken, startedAt: start = lifetime.startNow() } = moved
        return store.createSession({ sessionToken, userId, expires: lifetime.expires(start) })
      }
      const start = lifetime.startNow()
      const sessionToken = withStart(parseNewToken(generateSessionToken()), start)
      return store.createSession({ sessionToken, userId, expires: lifetime.expires(start) })
    },

    async renew(session) {
      const sessionToken = withStart(parseNewToken(generateSessionToken()), startOf(session.sessionToken, lifetime))
      // With the app's own columns, but without the key that many adapters give each row.
      const { id: _, _id: __, ...row } = session as AdapterSession & { readonly id?: unknown; readonly _id?: unknown }
      return store.createSession({ ...row, sessionToken })
    },

    async extend(session) {
      const isDue = session.expires.valueOf() <= clock() + (maxAge - updateAge) * 1000
      if (!isDue) return session
      const start = startOf(session.sessionToken, lifetime)
      // A session from before the host set an absolute lifetime has no known start: it runs out.
      if (lifetime.isCapped && start === undefined) return session
      const expires = lifetime.expires(start)
      // At its absolute end nothing is gained. Stores may round to whole seconds.
      if (lifetime.isCapped && expires.valueOf() - session.expires.valueOf() < 1000) return session
      const { sessionToken } = session
      // Some adapters return nothing for a row that they updated, too.
      const isKept =
        (await store.updateSession({ sessionToken, expires })) ?? (await findSession(store, clock, sessionToken))
      return isKept ? { ...session, expires } : null
    },

    toCookies({ sessionToken, expires: stored }, jar) {
      const date = toDate(stored)
      const expires = Number.isNaN(date.valueOf()) ? lifetime.expires(startOf(sessionToken, lifetime)) : date
      const options = { ...cookie.options, expires }
      return writeSessionCookies({ name: cookie.name, value: sessionToken, options }, jar, maxChunks)
    },
  }
}

const sessionFields = ["sessionToken", "userId"] as const

/** The row of a token and its user. Deletes a row that has expired or lost its user. */
async function findSession(store: SessionRowStore, clock: Clock, token: string): Promise<FoundSession | null> {
  const found = await store.getSessionAndUser(token)
  // Stores may compare without regard to case; here the token is compared exactly.
  if (found?.session?.sessionToken !== token) return null
  const expires = toDate(found.session.expires)
  const isLive = expires.valueOf() > clock()
  if (!isLive || !found.user) {
    await store.deleteSession(token)
    return null
  }
  const row = isPlain(found.session) ? found.session : copyFields(found.session, sessionFields)
  // Callbacks may write to a copy. They get an instance of a class itself, with its getters and methods.
  return { user: isPlain(found.user) ? { ...found.user } : found.user, session: { ...row, expires } }
}

/** Longer than any generated token; the store is not asked for more. */
const maxTokenLength = 1024

/** Each is a query, so that a forged header must not bring many. */
const maxTokens = 16

/**
 * The values that may be tokens. Some stores end a text at a NUL byte, and would find another row. A hash that
 * `hashSessionTokens` has stored is no token: whoever sends one has read the table.
 */
function readTokens(jar: CookieJar, name: string): readonly string[] {
  const isToken = (text: string) => text.length <= maxTokenLength && !/^sha256:|\0/.test(text)
  return readSessionCookies(jar, name).filter(isToken).slice(0, maxTokens)
}

/**
 * In base64, 16 characters are 96 bits; shorter tokens can be guessed. Those of more than `maxTokenLength`, with a start, would
 * never be read.
 */
function parseNewToken(token: unknown): string {
  if (typeof token === "string" && token.length < 1000 && token.length > 15) return token
  void Promise.resolve(token).catch(() => {})
  throw new InvalidConfiguration("session.generateSessionToken: must return 16 to 999 random characters")
}

/** Appends the start to a token. The token is the key of the row, so that a changed start finds no session. */
export function withStart(token: string, start: SessionStart): string {
  return start === undefined ? token : `${token}~${start.toString(36)}`
}

/** When the session of a token began; undefined for one from before the host set an absolute lifetime. */
function startOf(token: string, { isCapped }: Lifetime): SessionStart {
  const [, start] = isCapped ? (/~([0-9a-z]{1,8})$/.exec(token) ?? []) : []
  return start === undefined ? undefined : Number.parseInt(start, 36)
}
