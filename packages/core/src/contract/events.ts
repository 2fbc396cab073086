import type { Account } from "./account.js"
import type { AdapterSession, AdapterUser } from "./adapter.js"
import type { Awaitable } from "./awaitable.js"
import type { JWT } from "./jwt.js"
import type { Profile } from "./profile.js"
import type { Session } from "./session.js"
import type { User } from "./user.js"

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
