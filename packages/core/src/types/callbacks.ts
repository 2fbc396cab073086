import type { Session, User } from "@latchkey/types"
import type { AdapterSession, AdapterUser } from "./adapter.js"
import type { Awaitable } from "./basics.js"
import type { JWT } from "./jwt.js"
import type { Account, Profile } from "./user.js"

/** Who wants to come in, and how they proved who they are. */
export interface SignInParams {
  user: User | AdapterUser
  account?: Account | null
  profile?: Profile
  /** Present while a link is being asked for, absent once it is followed. */
  email?: { verificationRequest?: boolean }
  /** What the visitor typed, for credentials providers. */
  credentials?: Record<string, unknown>
}

/** The token so far, and what it is called for. */
export interface JwtParams {
  token: JWT
  /** On `signIn` and `signUp` only, as are `account` and `profile`. */
  user?: User | AdapterUser
  account?: Account | null
  profile?: Profile
  trigger?: "signIn" | "signUp" | "update"
  /** @deprecated Use `trigger === "signUp"`. */
  isNewUser?: boolean
  /** What the client sent to update its session. Untrusted. */
  session?: unknown
}

/**
 * `token` is there with stateless sessions, `user` with stored ones. Both are typed as present, since a host knows its
 * strategy and the callback would otherwise have to prove it.
 */
export interface SessionCallbackParams {
  session: Session & { user: User } & Partial<Omit<AdapterSession, "expires">>
  token: JWT
  user: AdapterUser
  /** What the client sent to update its session. Untrusted. */
  newSession?: unknown
  trigger?: "update"
}

/** How a host steers the flows. Each may be given on its own. */
export interface CallbacksOptions {
  /** True lets the person in; false refuses; text sends them there. */
  signIn(params: SignInParams): Awaitable<boolean | string>
  /** Where a redirect may go. Default: the same origin only. */
  redirect(params: { url: string; baseUrl: string }): Awaitable<string>
  /** What the client sees. Default: name, email, image and expiry. */
  session(params: SessionCallbackParams): Awaitable<Session>
  /** What the token keeps. Null ends the session. */
  jwt(params: JwtParams): Awaitable<JWT | null>
}

/** What the store answered when it removed the session, or the token that was in the cookie. */
export type SignOutMessage = { session: AdapterSession | null | undefined } | { token: JWT | null }

/** Handlers for audit logs. What they throw is logged and changes nothing. */
export interface EventCallbacks {
  signIn(message: { user: User; account?: Account | null; profile?: Profile; isNewUser?: boolean }): Awaitable<void>
  signOut(message: SignOutMessage): Awaitable<void>
  createUser(message: { user: User }): Awaitable<void>
  updateUser(message: { user: User }): Awaitable<void>
  linkAccount(message: { user: User | AdapterUser; account: Account; profile: User | AdapterUser }): Awaitable<void>
  session(message: { session: Session; token?: JWT }): Awaitable<void>
}
