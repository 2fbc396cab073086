import type { Awaitable } from "./basics.js"
import type { Account } from "./user.js"

/**
 * What the features beyond the contract store. Every method is optional. A feature names the methods that it needs, and
 * `transaction` if it needs that; a configuration is refused at the start if the adapter lacks one of them.
 */
export interface AdapterFeatures {
  /** Keeps a value until it expires or is taken. The id is unguessable and used once; leases have ids of their own. */
  keepTemporary?(record: TemporaryRecord): Awaitable<unknown>
  /** Removes and returns a value in one atomic step, so that only one of several callers gets it. Null if it expired. */
  takeTemporary?(id: string): Awaitable<string | null>

  /**
   * Stores the details of a new session, and with `session` its row too: both or neither. Without `session`, details with
   * a token belong to a row that exists: finding it and storing them are one atomic step. With `limit`, counting the
   * user's live sessions and storing the new one are one atomic step. `deleteSession` and `deleteUser` remove details
   * with the row of their session and with their user.
   * @returns false, having stored nothing, if the limit refuses it or the row does not exist
   * @throws Error, having stored nothing, if the id or the token exists or the user does not
   */
  createSessionDetail?(detail: AdapterSessionDetail, options?: NewSessionOptions): Awaitable<boolean>
  /**
   * Moves `lastSeenAt` and `expires` of a live session in one statement. Null if it was ended, expired before `seenAt`,
   * or belongs to another user; never brings one back.
   */
  seeSession?(seen: SeenSession): Awaitable<AdapterSessionDetail | null>
  /** Lists the user's live sessions, in any order. */
  listSessionsByUserId?(userId: string): Awaitable<AdapterSessionDetail[]>
  /**
   * Ends the selected sessions: removes their details and the rows of stored sessions in one step.
   * @returns how many live ones it ended; of several callers, each counts only its own
   */
  endSessions?(selection: SessionSelection): Awaitable<number>

  /**
   * Gives a lease to one holder, until the instant given. Returns true to the caller who holds it now: the first one, the
   * first one after it ran out, and the holder who asks again.
   */
  takeLease?(lease: Lease): Awaitable<boolean>
  /** Ends a lease if this holder has it. */
  dropLease?(lease: Pick<Lease, "id" | "holder">): Awaitable<unknown>

  /**
   * Replaces the tokens of a linked account in one statement.
   * @returns false, having written nothing, unless the stored `refresh_token` is still `from` (null: it has none). A store
   *   without transactions may return false for null
   */
  replaceTokens?(
    account: Pick<Account, "provider" | "providerAccountId">,
    replacement: TokenReplacement,
  ): Awaitable<boolean>

  /** The user's password, as a hash. */
  getPassword?(userId: string): Awaitable<StoredPassword | null>
  /**
   * Stores a password in one statement.
   * @returns false, having written nothing, unless the stored hash is still `from` (null: the user has none)
   */
  setPassword?(password: StoredPassword & { readonly from: string | null }): Awaitable<boolean>
  /** Removes the user's password. */
  deletePassword?(userId: string): Awaitable<unknown>

  /** Lists the user's second factors. */
  listFactors?(userId: string): Awaitable<AdapterFactor[]>
  /** Stores a second factor. A new one has the version 0. */
  createFactor?(factor: AdapterFactor): Awaitable<unknown>
  /**
   * Changes a second factor in one statement, and raises its version by 1.
   * @returns false, having written nothing, unless the stored version is still `from`
   */
  changeFactor?(change: FactorChange): Awaitable<boolean>
  /** Removes a second factor. */
  deleteFactor?(id: string): Awaitable<unknown>

  /**
   * Replaces the address of a user in one statement. Adding or removing one may need a transaction.
   * @returns false, having written nothing, unless the stored address is still `from`. An adapter without transactions may
   *   return false for null
   * @throws Error, having written nothing, if another user has the address
   */
  replaceEmail?(change: EmailReplacement): Awaitable<boolean>

  /**
   * Stores a change of an account that can be undone, or that is planned. The store may remove it when it has expired.
   * `deleteUser` removes it with its user.
   * @returns false, having stored nothing, if there is one with this id, or no such user
   */
  createAccountChange?(change: AdapterAccountChange): Awaitable<boolean>
  /** Finds a change of an account by id. It may have expired. */
  getAccountChange?(id: string): Awaitable<AdapterAccountChange | null>
  /** Lists the changes of a user's account, or those of one kind of all users. Some may have expired. */
  listAccountChanges?(selection: AccountChangeSelection): Awaitable<AdapterAccountChange[]>
  /** Removes a change of an account, if its value is the given one. Returns true to the one caller who removed it. */
  deleteAccountChange?(change: Pick<AdapterAccountChange, "id" | "value">): Awaitable<boolean>
}

/** A new address of a user. */
export interface EmailReplacement {
  readonly userId: string
  /** The address that the change was made from, or null if there was none. */
  readonly from: string | null
  /** The new address. Null takes the address away, to undo a change. */
  readonly to: string | null
  /** When the user confirmed the new address by email, or null if they never did. */
  readonly emailVerified: Date | null
}

/** A change of an account that can be undone, or that is planned. */
export interface AdapterAccountChange {
  /** At most 128 characters. */
  id: string
  /** Id of the user. */
  userId: string
  /** Such as `email` or `deletion`. */
  kind: string
  /** Sealed by the service; up to 4 KiB of ASCII. */
  value: string
  expires: Date
}

/** Which changes of accounts to list. */
export type AccountChangeSelection = { readonly userId: string } | { readonly kind: string }

/** A value that is kept until someone takes it. */
export interface TemporaryRecord {
  /** A hash or a random value; at most 128 characters. */
  id: string
  /** Sealed by the service; up to 64 KiB of ASCII. */
  value: string
  expires: Date
}

/** The record of a session: what a list shows about it, and what is needed to end it. */
export interface AdapterSessionDetail {
  /** The `sid` of the session: 128 random bits, or a hash of the token of a stored session. */
  id: string
  /** Id of the user. */
  userId: string
  /** The token of a stored session, else null. A store that keeps no tokens returns null, too. */
  sessionToken: string | null
  /** Id of the provider that the session began with. */
  provider: string
  /** The user's id at the provider. */
  providerAccountId: string
  /** The provider's own id of its session, the claim `sid` of OpenID Connect, else null. */
  providerSession: string | null
  /** How the user signed in, separated by spaces: the claim `amr`, RFC 8176. */
  amr: string
  createdAt: Date
  lastSeenAt: Date
  expires: Date
  /** At most 256 characters. */
  userAgent: string | null
  /** The network of the client, such as `192.0.2.0/24`; not its address. */
  network: string | null
  /** A name for the device, chosen by the app. */
  label: string | null
}

/** Stored together with the details of a session, in one step. */
export interface NewSessionOptions {
  /** The row of a stored session. */
  readonly session?: { sessionToken: string; userId: string; expires: Date }
  readonly limit?: SessionLimit
}

/** How many sessions a user may have. */
export interface SessionLimit {
  /** At least 1. */
  readonly count: number
  /** What happens to a session above the limit: it is refused, or the sessions that were seen least recently end. */
  readonly over: "refuse" | "end-oldest"
}

/** A use of a session. */
export interface SeenSession {
  readonly id: string
  readonly userId: string
  readonly seenAt: Date
  readonly expires: Date
}

/** Which sessions to end: those of a user, all but one, one, or those that began with a provider. */
export type SessionSelection =
  | { readonly userId: string; readonly except?: string }
  | { readonly userId: string; readonly id: string }
  | { readonly provider: string; readonly providerSession: string }
  | { readonly provider: string; readonly providerAccountId: string }

/** The right to do something alone, for some time. */
export interface Lease {
  /** What is done alone; at most 128 characters. */
  readonly id: string
  /** A random value of the caller. */
  readonly holder: string
  readonly until: Date
}

/** New tokens of a linked account. */
export interface TokenReplacement {
  /** The refresh token that was used. Null for an account without one. */
  readonly from: string | null
  /** Fields that are left out stay as they are. Null clears `expires_at`: the provider did not say when the token expires. */
  readonly tokens: Partial<Pick<Account, "access_token" | "refresh_token" | "token_type" | "scope" | "id_token">> & {
    readonly expires_at?: number | null
  }
}

/** A user's password. */
export interface StoredPassword {
  userId: string
  /** In PHC string format. */
  hash: string
  changedAt: Date
}

/** A second factor of a user. */
export interface AdapterFactor {
  id: string
  userId: string
  /**
   * `totp` or `recovery` for a factor. Other rows are kept beside the factors: `device` for a remembered device, `ending` for
   * the last time that all sessions of the user were ended.
   */
  kind: string
  /** Sealed by the service; `none` for an ending. */
  secret: string
  /**
   * A name that the user chose; for an ending, the sign-in that goes on; for recovery codes, the factor that they were set up
   * with, as long as the user has it.
   */
  label: string | null
  /** The last time step that a code was accepted for, so that none is accepted twice; null before the first. */
  lastStep: number | null
  /** How often it was changed. */
  version: number
  createdAt: Date
  lastUsedAt: Date | null
}

/** A change of a second factor. Fields that are left out stay as they are. */
export interface FactorChange extends Partial<Pick<AdapterFactor, "secret" | "label" | "lastStep" | "lastUsedAt">> {
  readonly id: string
  /** The version that the change was made from. */
  readonly from: number
}

/**
 * A store for tokens that all processes share, such as Redis. Keys are hashes of at most 128 characters; values are sealed
 * by the service, ASCII, a few KiB.
 */
export interface TokenStore {
  /** The value of a key. Null if there is none, or it has expired. */
  get(key: string): Awaitable<string | null>
  /**
   * Replaces a value in one atomic step.
   * @returns false, having written nothing, unless the stored value is still `from` (null: there is none)
   */
  replace(key: string, change: TokenChange): Awaitable<boolean>
  /**
   * Gives a lease to one holder, until the instant given. Returns true to the caller who holds it now: the first one, the
   * first one after it ran out, and the holder who asks again. One atomic step.
   */
  takeLease(lease: Lease): Awaitable<boolean>
  /** Ends a lease if this holder has it. One atomic step. */
  dropLease(lease: Pick<Lease, "id" | "holder">): Awaitable<unknown>
}

/** A change of a value in a {@link TokenStore}. */
export interface TokenChange {
  /** The value to replace. Null if there must be none yet. */
  readonly from: string | null
  /** The new value. Null removes it. */
  readonly to: string | null
  /** When the new value may be removed. */
  readonly expires: Date
}
