import type { Session, User } from "@latchkey/types"
import type { CookieJar } from "../http/cookies.js"
import type { LogContext } from "../log/audit-event.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { SignOutMessage } from "../types/callbacks.js"
import type { ResponseCookie } from "../types/http.js"
import type { JWT } from "../types/jwt.js"
import type { Account, Profile } from "../types/user.js"

/** Somebody who has just proved who they are, and is allowed in. */
export interface SignedIn {
  readonly user: User | AdapterUser
  readonly account: Account
  readonly profile?: Profile
  /** Whether the user was created a moment ago; undefined where no store could tell. */
  readonly isNewUser: boolean | undefined
  /** Whether the person was signed in as this user already and only added or repeated an account. */
  readonly isSignedInAlready: boolean
  /** True when an account or a passkey was added just now, which is the user's from here on. */
  readonly isAccountAdded?: boolean
}

export interface CheckedSession {
  /** What the client may see. Null: there is no session. */
  readonly session: Session | null
  readonly cookies: readonly ResponseCookie[]
}

/** The request that a session is read from, or ended by. */
export interface SessionVisit extends LogContext {
  readonly cookies: CookieJar
}

/** Data that a client sent to update its session. Untrusted. */
export interface SessionUpdate {
  readonly newSession: unknown
}

export interface EndedSession {
  /** For the event; null when there was no session to end. */
  readonly message: SignOutMessage | null
  readonly cookies: readonly ResponseCookie[]
}

/** How sessions are kept. Two implementations; no other file asks which one it is. */
export interface Sessions {
  start(signedIn: SignedIn, jar: CookieJar): Promise<readonly ResponseCookie[]>
  /** Answers "whose session is this?", extends it when it is time, and tells the `session` event. Does not throw. */
  check(request: SessionVisit, update?: SessionUpdate): Awaitable<CheckedSession>
  /** The stored user of a live session, without extending it. */
  findUser(jar: CookieJar): Promise<AdapterUser | null>
  end(request: SessionVisit): Promise<EndedSession>
}

/** How long sessions last. */
export interface Lifetime {
  readonly clock: Clock
  /** Idle lifetime in seconds. */
  readonly maxAge: number
  /**
   * Seconds after the sign-in, when a session ends however often it is used (ASVS 7.3.2). Undefined: it has no such
   * end.
   */
  readonly absoluteMaxAge?: number | undefined
}

/** An instant in seconds, as claims hold it; undefined where sessions have no cap, or nobody knows. */
type Start = number | undefined

/** When a session ends that is used now. */
export function expiryOf({ clock, maxAge, absoluteMaxAge }: Lifetime, start: Start): Date {
  const idleEnd = clock() + maxAge * 1000
  if (absoluteMaxAge === undefined || start === undefined) return new Date(idleEnd)
  return new Date(Math.min(idleEnd, (start + absoluteMaxAge) * 1000))
}

export function isOver({ clock, absoluteMaxAge }: Lifetime, start: Start): boolean {
  return absoluteMaxAge !== undefined && start !== undefined && (start + absoluteMaxAge) * 1000 <= clock()
}

/** The start of a session that begins now. */
export function startNow({ clock, absoluteMaxAge }: Lifetime): Start {
  return absoluteMaxAge === undefined ? undefined : Math.floor(clock() / 1000)
}

/** The start that a stateless session's claims tell. One that was begun without a cap counts from now. */
export function findClaimedStart(claims: JWT, lifetime: Lifetime): Start {
  if (lifetime.absoluteMaxAge === undefined) return undefined
  const start = claims["auth_time"]
  return typeof start === "number" && Number.isFinite(start) ? start : startNow(lifetime)
}

/** The claims with their start, whatever the host's callback made of them. */
export function claimStart(claims: JWT, start: Start): JWT {
  return start === undefined ? claims : { ...claims, auth_time: start }
}

/** A stored session's token with its start behind it. It is the store's key, so that nobody can alter it. */
export function markStart(token: string, start: Start): string {
  return start === undefined ? token : `${token}~${start.toString(36)}`
}

const mark = /~([0-9a-z]{1,8})$/

/** The start that a stored session's token tells; undefined for one that was begun without a cap. */
export function findMarkedStart(token: string, { absoluteMaxAge }: Lifetime): Start {
  const [, start] = absoluteMaxAge === undefined ? [] : (mark.exec(token) ?? [])
  return start === undefined ? undefined : Number.parseInt(start, 36)
}
