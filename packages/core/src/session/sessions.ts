import type { Account } from "../contract/account.js"
import type { AdapterUser } from "../contract/adapter.js"
import type { Awaitable } from "../contract/awaitable.js"
import type { SignOutMessage } from "../contract/events.js"
import type { Profile } from "../contract/profile.js"
import type { ResponseCookie } from "../contract/response.js"
import type { Session } from "../contract/session.js"
import type { User } from "../contract/user.js"
import type { Scene } from "../log/scene.js"
import type { CookieJar } from "../web/cookie-jar.js"

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
export interface SessionVisit extends Scene {
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
  check(visit: SessionVisit, update?: SessionUpdate): Awaitable<CheckedSession>
  /** The stored user of a live session, without extending it. */
  findUser(jar: CookieJar): Promise<AdapterUser | null>
  end(visit: SessionVisit): Promise<EndedSession>
}
