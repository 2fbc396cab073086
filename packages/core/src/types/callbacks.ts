import type { AnyValue, DefaultSession, Session, User } from "@latchkey/types"
import type { AdapterSession, AdapterUser } from "./adapter.js"
import type { Awaitable } from "./basics.js"
import type { JWT } from "./jwt.js"
import type { Account, Profile } from "./user.js"

/** The fields that the store adds to a user. They are optional where the user may come from the provider. */
type Perhaps<Extra> = unknown extends Extra
  ? unknown
  : { [Field in Exclude<keyof Extra, keyof AdapterUser>]?: Extra[Field] | undefined }

/**
 * Functions that decide about sign-ins, redirects, tokens and sessions. Each is optional.
 * @typeParam Extra The fields that the adapter adds to a stored user.
 * @typeParam Shown What the `session` callback returns.
 */
export interface CallbacksOptions<Extra = unknown, Shown extends DefaultSession = DefaultSession> {
  /**
   * Decides whether a user may sign in. True allows it; false refuses; a URL redirects there instead.
   * Default: everyone may sign in.
   */
  signIn(params: SignInParams<Extra>): Awaitable<boolean | string>
  /** Returns the URL to redirect to. Default: `url` if it has the origin of `baseUrl`, else `baseUrl`. */
  redirect(params: RedirectParams): Awaitable<string>
  /** Returns the session that clients see. Default: name, email, image and expiry. */
  session(params: SessionCallbackParams<Extra>): Awaitable<Shown>
  /** Returns the claims of the session token. Null ends the session. Default: the token as it is. */
  jwt(params: JwtParams<Extra>): Awaitable<JWT | null>
}

/** Arguments of the `signIn` callback. */
export interface SignInParams<Extra = unknown> {
  /** The user who signs in: the stored one, or what the provider returned if there is none yet. */
  user: (User & Perhaps<Extra>) | (AdapterUser & Extra)
  /** The account at the provider that the user signed in with. */
  account?: Account | null
  /** The profile as the provider returned it, for OAuth and OpenID Connect. */
  profile?: Profile
  /** Present while a sign-in link is requested (`verificationRequest: true`), absent when it is opened. */
  email?: { verificationRequest?: boolean }
  /** The submitted fields, for credentials providers. */
  credentials?: Record<string, unknown>
}

/** Arguments of the `redirect` callback. */
export interface RedirectParams {
  /** The requested URL or path. Untrusted. */
  url: string
  /** The origin of the app. */
  baseUrl: string
}

/** Arguments of the `jwt` callback. */
export interface JwtParams<Extra = unknown> {
  /** The current claims. */
  token: JWT
  /** The user who just signed in. Present for the triggers `signIn` and `signUp` only, as are `account` and `profile`. */
  user?: (User & Perhaps<Extra>) | (AdapterUser & Extra)
  /** The account at the provider that the user just signed in with. */
  account?: Account | null
  /** The profile as the provider returned it, for OAuth, OpenID Connect and sessions of a hosted service (`session.accept`). */
  profile?: Profile
  /** Why the callback is called. Absent when a session is read. */
  trigger?: "signIn" | "signUp" | "update"
  /** @deprecated Use `trigger === "signUp"`. */
  isNewUser?: boolean
  /** The data that the client sent to update its session. Untrusted. */
  session?: AnyValue
}

/**
 * How strongly the user of a session was authenticated: 1 with one factor, 2 with two factors, 3 with two factors that
 * include a passkey. A passkey is phishing resistant, because it works only on the site that it was created for.
 */
export type AuthLevel = 1 | 2 | 3

/** When and how the user of a session was authenticated. */
export interface SessionAuth {
  /**
   * When the level was reached, in seconds since 1970-01-01T00:00:00Z: the proofs since then have this level. Later proofs
   * of a lower level do not change it.
   */
  readonly time: number
  /** Values of the claim `amr` (RFC 8176), and `email`, `fed` and `rcv`: see the guide. */
  readonly methods: readonly string[]
  readonly level: AuthLevel
}

/**
 * Arguments of the `session` callback. `token` is present with the strategy `jwt`, `user` and the columns of a stored
 * session with `database`. All are typed as present: you know your strategy, and would otherwise have to check for it.
 */
export interface SessionCallbackParams<Extra = unknown> {
  /**
   * The session with its default fields. A stored session also has its other columns, and those of its user. `auth` is
   * present with `secondFactors`, if the browser proved it; return it to show it to clients.
   */
  session: Session & StoredSession<Extra>
  /** The claims of the session token, with the strategy `jwt`. */
  token: JWT
  /** The stored user, with the strategy `database`. */
  user: AdapterUser & Extra
  /** The data that the client sent to update its session. Untrusted. */
  newSession?: AnyValue
  /** `update` when the client updates its session, else absent. */
  trigger?: "update"
}

/** What the strategy `database` adds to the session. */
interface StoredSession<Extra> extends Omit<AdapterSession, "expires"> {
  get user(): AdapterUser & Extra
  /** May be replaced with what clients need. */
  set user(user: User)
  auth?: SessionAuth | undefined
}

/**
 * Event handlers, for audit logs and the like. They run after the fact: an error is logged and changes nothing. A
 * request waits up to 10 seconds for its handlers.
 */
export interface EventCallbacks<Extra = unknown> {
  /** A user signed in. */
  signIn(message: {
    user: User & Perhaps<Extra>
    account?: Account | null
    profile?: Profile
    isNewUser?: boolean
  }): Awaitable<void>
  /** A user signed out. */
  signOut(message: SignOutMessage): Awaitable<void>
  /** A user was stored. */
  createUser(message: { user: User & Extra }): Awaitable<void>
  /** A stored user changed. */
  updateUser(message: { user: User & Extra }): Awaitable<void>
  /** An account at a provider was linked to a user. */
  linkAccount(message: { user: User | AdapterUser; account: Account; profile: User | AdapterUser }): Awaitable<void>
  /** A user removed an account at a provider, or a passkey. Only with `accountArea`. They are told by mail: see `securityNotices`. */
  accountUnlinked(message: {
    userId: string
    account: Pick<Account, "provider" | "providerAccountId">
  }): Awaitable<void>
  /** A user changed their address, or undid that. Only with `accountArea`. */
  emailChanged(message: { userId: string; isUndone: boolean }): Awaitable<void>
  /** A user was deleted with all their records. Delete what your app keeps about them. Only with `accountArea`. */
  userDeleted(message: { userId: string }): Awaitable<void>
  /**
   * Sessions of a user were ended from a list, all at once, or by the provider. A sign-out sends `signOut` instead. `userId`
   * is null if the provider named only its own session.
   */
  sessionsEnded(message: { userId: string | null; count: number }): Awaitable<void>
  /** A user without a password got one: at the sign-up, on their own page, or by `setPassword` or `importPassword`. Only with `Passwords`. */
  passwordSet(message: { userId: string }): Awaitable<void>
  /** The password of a user was changed: on their own page, or by `setPassword`. Only with `Passwords`. */
  passwordChanged(message: { userId: string }): Awaitable<void>
  /** A user who forgot their password chose another one by email. Only with `Passwords`. */
  passwordReset(message: { userId: string }): Awaitable<void>
  /** A user set up a second factor, or it was stored by `importFactor` or `importRecoveryCodes`. */
  factorAdded(message: { userId: string; kind: string }): Awaitable<void>
  /** A user removed a second factor. They are told by mail: see `securityNotices`. */
  factorRemoved(message: { userId: string; kind: string }): Awaitable<void>
  /** A user signed in with a recovery code. Notify them when few are left. */
  recoveryCodeUsed(message: { userId: string; left: number }): Awaitable<void>
  /** The tokens of an account were refreshed. Only with `accessTokens`. */
  tokensRefreshed(message: TokensMessage): Awaitable<void>
  /** A provider refused the refresh token of an account: the user has to sign in with it again. Only with `accessTokens`. */
  tokensLost(message: TokensMessage): Awaitable<void>
  /** A session was read. */
  session(message: { session: Session; token?: JWT }): Awaitable<void>
}

/** The account that tokens belong to. It holds no token. */
export interface TokensMessage {
  /** Id of the user. */
  userId: string
  /** The provider's id. */
  provider: string
  /** The user's id at the provider. */
  providerAccountId: string
}

/** The ended session: the stored one that was removed, or the token from the cookie. */
export type SignOutMessage = { session: AdapterSession | null | undefined } | { token: JWT | null }
