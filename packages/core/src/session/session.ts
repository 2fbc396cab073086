import type { Session, User } from "@latchkey/types"
import type { RememberText } from "../crypto/jwt.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { CookieJar } from "../http/cookies.js"
import { json, noStore, type Reply, unknownSession } from "../http/response.js"
import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import { andThen } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { SignOutMessage } from "../types/callbacks.js"
import type { AuthContext, CookieOption, ResponseCookie } from "../types/http.js"
import type { JWT } from "../types/jwt.js"
import type { Account, Profile } from "../types/user.js"

/** How sessions are kept: in the cookie itself (`jwt.ts`) or in the host's database (`database.ts`). */
export interface Sessions {
  /** Starts a session for a user who has just signed in. Returns the cookies to set. */
  start(signedIn: SignedIn, request: SessionRequest): Awaitable<readonly ResponseCookie[]>
  /**
   * Reads the current session, extends it when it is due, and sends the `session` event.
   * @throws JWTSessionError for an update that makes the session too large; for nothing else
   */
  check(request: SessionRequest, update?: SessionUpdate): Awaitable<CheckedSession>
  /**
   * The stored user of the current session, which is not extended. The only way to find the user who is signed in. Null also
   * for a session that the host's `jwt` callback ended. The record of a tracked session is looked up each time, even if the
   * last lookup was a moment ago: the thief of a session that has just ended could otherwise add a way to sign in.
   * @param find Finds the user of a session token by id. Default: in the store. With it, the record of a stateless session is
   *   looked up as rarely as in `check`. Stored sessions come with their user.
   * @param remember Remembers what session tokens decrypt to. An app's own `decode` is called each time.
   */
  findUser(
    jar: CookieJar,
    find?: (id: string) => Promise<AdapterUser | null>,
    remember?: RememberText,
  ): Awaitable<AdapterUser | null>
  /** Ends the current session. Never throws. */
  end(request: SessionRequest): Promise<EndedSession>
  /**
   * Gives the current session a new token, and ends the one with the former token where it is stored or has a record.
   * Returns the cookies to set; none without a session. Default: `check`, which writes a new stateless token.
   * @param copy The new token is for a copy of the session, and the session goes on.
   */
  renew?(request: SessionRequest, copy?: SessionCopy): Promise<readonly ResponseCookie[]>
  /**
   * Ends the sessions of a user that have no record yet, since they are from before `session.track`. Those with a record are
   * ended in the store. Only with `session.track`.
   * @param findUserId Called only while there may be such sessions. "" if there is no such user.
   */
  endFormer?(findUserId: () => Awaitable<string>): Promise<void>
  /** The current session as its record has it. Only with `session.track`. */
  identify?(request: SessionRequest): Promise<TrackedSession | null>
}

/** A user whom the host allowed to sign in, and how they proved who they are. */
export interface SignedIn {
  readonly user: User | AdapterUser
  readonly account: Account
  /** How the sign-in was proved: the values of the claim `amr`. */
  readonly achieved: readonly string[]
  readonly profile?: Profile
  /** Whether the user was just created; undefined without a store. */
  readonly isNewUser: boolean | undefined
  /** True when this user was already signed in, and only added or repeated an account. */
  readonly isSignedInAlready: boolean
  /** True when the account was added to the user who was signed in: it does not re-authenticate them. */
  readonly isAccountAdded?: boolean
  /** What the sign-in method knows besides, and reads again when the session starts. See `methodFact`. */
  readonly facts?: MethodFacts
  /** The session of another library in whose place this one begins. */
  readonly moved?: MovedSession
  /** True when the host's `authorize` returned the user, whom the adapter may not know. */
  readonly isUserFromHost?: boolean
}

/**
 * The session of another library in whose place one of ours begins. It always leads to the same one. Its user does not count as
 * recently signed in.
 */
export interface MovedSession {
  /** The token of a stored session. */
  readonly token: string
  /** The id of its record. */
  readonly sid: string
  /** Identifies the other session. */
  readonly id: string
  /** Whether the token has the id as its claim `mov`, for a sign-out to mark: nothing else knows a session without a record. */
  readonly hasMark: boolean
  /** When it began, in seconds since 1970-01-01T00:00:00Z, as far as the other library tells. */
  readonly startedAt?: number | undefined
  /** The claims of a token, which go on. Default: those of the user. */
  readonly claims?: JWT | undefined
  /** The record of our session, if it has begun before. */
  readonly record?: AdapterSessionDetail | undefined
}

/** By name, as the method chose it. Text, numbers and truth values stay what they are while a sign-in waits. */
export type MethodFacts = Readonly<Record<string, string | number | boolean>>

/** The request that holds the session cookie. */
export interface SessionRequest extends LogContext {
  readonly cookies: CookieJar
  readonly url?: URL
  readonly context?: AuthContext | undefined
}

/** Another session of the user, for an app on their device. It is as old as the one that it is copied from. */
export interface SessionCopy {
  /** A name for the device. */
  readonly label: string
}

/** A session that has a record. */
export interface TrackedSession {
  /** Id of the record. */
  readonly id: string
  readonly userId: string
  /** True if its token names no record: one from before `session.track`, which its last use may have given one. */
  readonly isUnrecorded?: boolean
}

/** Data that a client sent to update its session. Untrusted. */
export interface SessionUpdate {
  readonly newSession: unknown
}

export interface CheckedSession {
  /** What the client may see. Null without a session. */
  readonly session: Session | null
  readonly cookies: readonly ResponseCookie[]
  /** True if the store failed, so that nobody knows whether there is a session. Then it is null, and the cookies stay. */
  readonly isUnknown?: boolean
}

export interface EndedSession {
  /** Message of the `signOut` event; null when there was no session. */
  readonly message: SignOutMessage | null
  readonly cookies: readonly ResponseCookie[]
}

/** What both strategies are built with. */
export interface SessionDeps {
  readonly cookie: CookieOption
  /** How many cookies one session may be split into. Default: 3. */
  readonly maxChunks?: number
  readonly lifetime: Lifetime
  readonly callbacks: HostCallbacks
  readonly events: Events
  readonly log: Log
}

/**
 * When a session began, in seconds since 1970-01-01T00:00:00Z. Undefined when it is unknown, and always without an
 * absolute lifetime.
 */
export type SessionStart = number | undefined

/** How long sessions last. Each use extends a session by its idle lifetime, up to the end of its absolute lifetime. */
export interface Lifetime {
  readonly clock: Clock
  /** Idle lifetime in seconds. */
  readonly maxAge: number
  /** Whether there is an absolute lifetime. */
  readonly isCapped: boolean
  /** The start of a session that begins now. */
  startNow(): SessionStart
  /** When a session that is used now expires. Its cookie expires at the same time. */
  expires(start: SessionStart): Date
  /** Whether the absolute lifetime is over. */
  isOver(start: SessionStart): boolean
}

interface LifetimeOptions {
  readonly clock: Clock
  /** Idle lifetime in seconds. */
  readonly maxAge: number
  /** Seconds after the sign-in when a session ends however often it is used (OWASP ASVS 7.3.2). Default: no such end. */
  readonly absoluteMaxAge?: number | undefined
}

export function createLifetime({ clock, maxAge, absoluteMaxAge }: LifetimeOptions): Lifetime {
  return {
    clock,
    maxAge,
    isCapped: absoluteMaxAge !== undefined,
    startNow: () => (absoluteMaxAge === undefined ? undefined : Math.floor(clock() / 1000)),
    expires(start) {
      const idleEnd = clock() + maxAge * 1000
      if (absoluteMaxAge === undefined || start === undefined) return new Date(idleEnd)
      return new Date(Math.min(idleEnd, (start + absoluteMaxAge) * 1000))
    },
    isOver: (start) =>
      absoluteMaxAge !== undefined && start !== undefined && (start + absoluteMaxAge) * 1000 <= clock(),
  }
}

/** `GET /session`: the session, or null. */
export function showSession(request: SessionRequest, { sessions }: { readonly sessions: Sessions }): Awaitable<Reply> {
  return andThen(sessions.check(request), toSessionReply)
}

/** What the session endpoint answers. */
export function toSessionReply({ session, cookies, isUnknown }: CheckedSession): Reply {
  return json(session, { cookies, headers: isUnknown ? { ...noStore, ...unknownSession } : noStore })
}
