import type { ProviderType, User } from "@latchkey/types"
import type { AdapterFactor, AdapterFeatures, StoredPassword } from "./adapter-features.js"
import type { Awaitable } from "./basics.js"
import type { Account } from "./user.js"

/**
 * The data store. Every method is optional; the methods that a configuration needs are checked at the start. "Not
 * found" is null. A method throws if it cannot do its work.
 */
export interface Adapter extends AdapterFeatures {
  /** Stores a new user. The store may choose another `id`. */
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /** Finds a user by id. */
  getUser?(id: string): Awaitable<AdapterUser | null>
  /** Finds a user by email address. */
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  /** Finds the user to whom an account at a provider is linked. */
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  /** Changes the given fields of a user, and returns the whole user. */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  /** Removes a user with their accounts, sessions and passkeys. */
  deleteUser?(userId: string): Promise<void> | Awaitable<AdapterUser | MaybeNothing>
  /** Links an account at a provider to a user. */
  linkAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | MaybeNothing>
  /** Removes the link between a user and an account at a provider. */
  unlinkAccount?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<void> | Awaitable<AdapterAccount | undefined>
  /** Finds a linked account. */
  getAccount?(
    providerAccountId: AdapterAccount["providerAccountId"],
    provider: string,
  ): Awaitable<AdapterAccount | null>
  /** Stores a new session. */
  createSession?(session: AdapterSession): Awaitable<AdapterSession>
  /** Finds a session and its user, in one query if possible. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  /** Changes the given fields of a session. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | MaybeNothing>
  /** Removes a session. */
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | MaybeNothing>
  /** Stores the token of a sign-in link. */
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | MaybeNothing>
  /** Removes and returns a token in one atomic step, so that only one of several callers gets it. */
  useVerificationToken?(params: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  /** Stores a new passkey. */
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  /** Finds a passkey by its credential id. */
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>
  /** Lists the user's passkeys. */
  listAuthenticatorsByUserId?(userId: string): Awaitable<AdapterAuthenticator[]>
  /**
   * Raises the counter and returns the record. A counter never decreases: if the record holds a larger one, it is
   * returned unchanged, and the service detects that another sign-in came first.
   */
  updateAuthenticatorCounter?(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
  /**
   * Never required. Changes `name`, `lastUsedAt`, `credentialBackedUp` and `transports` of a passkey, and nothing else.
   * The service calls it to name a new passkey, and after each sign-in with one.
   */
  updateAuthenticator?(
    changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">,
  ): Awaitable<AdapterAuthenticator>
  /**
   * Never required. Removes a passkey and returns it to the one caller who removed it. `unlinkAccount` removes the
   * account that belongs to it; without either of the two the passkey no longer signs anyone in.
   */
  deleteAuthenticator?(credentialID: string): Promise<void> | Awaitable<AdapterAuthenticator | MaybeNothing>
  /**
   * Never required. Stores an id until it expires, in one atomic step, and returns true to the first caller only. With
   * it, a completed flow or challenge cannot be replayed at another instance of the service; without it, each process
   * keeps its own list. The id is a hash without personal data.
   */
  consumeOnce?(id: string, expires: Date): Awaitable<boolean>
  /**
   * Never required; needs `isEmailVerified`. Stores that a provider verified a user's email address, until the user is
   * removed. Repeated calls change nothing. Call it yourself for users that you create.
   */
  markEmailVerified?(verified: VerifiedEmail): Awaitable<unknown>
  /**
   * Whether `markEmailVerified` was called for this user and exactly this address. With it, the service keeps others
   * out of accounts whose address was never verified; without it, the service cannot recognize them.
   */
  isEmailVerified?(user: Pick<AdapterUser, "id" | "email">): Awaitable<boolean>
  /** Never required. Lists the user's linked accounts. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>
  /**
   * Required by some features. Runs the work with an adapter whose writes all happen or none: they are undone if the work
   * throws. A transaction inside of another one joins it. The work may run again if the store reports a conflict with
   * another transaction, so it should do nothing else, and await every call.
   */
  transaction?<Result>(work: (adapter: Adapter) => Promise<Result>): Promise<Result>
}

/**
 * Something in a store that an operator should change. `latchkey doctor` shows what the method `findStoreDefects` of an adapter
 * returns; the service never calls it.
 */
export interface StoreDefect {
  /**
   * - `index`: a unique index is missing
   * - `column`: a column is too short
   * - `collation`: a column takes different texts for equal
   * - `eviction`: the store removes records that have not expired
   * - `persistence`: the store loses its records when it restarts
   * - `clock`: the store's time is another one
   */
  readonly kind: "index" | "column" | "collation" | "eviction" | "persistence" | "clock"
  /** What is wrong. */
  readonly sentence: string
  /** The statement or the setting that mends it. */
  readonly statement?: string
}

/** A stored user. */
export interface AdapterUser extends User {
  /** Unique id of the user. */
  id: string
  /** The user's email address. */
  email: string
  /** When the user first signed in by email, else null. */
  emailVerified: Date | null
}

/** The type of a stored account, for the column of a database schema. */
export type AdapterAccountType = ProviderType

/** A stored account: the link between a user and a provider. */
export interface AdapterAccount extends Account {
  /** Id of the user. */
  userId: string
}

/** A stored session. */
export interface AdapterSession {
  /** Random value that identifies the session; the cookie holds nothing else. */
  sessionToken: string
  /** Id of the user. */
  userId: string
  /** The session is refused after this instant. */
  expires: Date
}

/** The stored half of a sign-in link that was not opened yet. */
export interface VerificationToken {
  /** The normalized email address. */
  identifier: string
  /** The link is refused after this instant. */
  expires: Date
  /** Hash of the mailed token; the token itself is never stored. */
  token: string
}

/** A stored passkey (WebAuthn credential). Ids and keys are in standard base64. */
export interface AdapterAuthenticator {
  /** Credential id, WebAuthn Level 3 section 4. */
  credentialID: string
  /** Public key in COSE form, RFC 9052 section 7. */
  credentialPublicKey: string
  /** Signature counter, WebAuthn Level 3 section 6.1.1. 0 if the authenticator has none. */
  counter: number
  /** `singleDevice` or `multiDevice` (synced). */
  credentialDeviceType: string
  /** Whether the passkey is backed up, for example in a password manager. */
  credentialBackedUp: boolean
  /** Comma-separated, WebAuthn Level 3 section 5.8.4. */
  transports?: string | null
  /** The credential id in the linked account. */
  providerAccountId: string
  /** Id of the user. */
  userId: string
  /**
   * A label: of the authenticator or the browser that created it, or one that the user chose. Never passed to
   * `createAuthenticator`: a store may have no column for it.
   */
  name?: string | null
  /** The last sign-in with it, if the store has `updateAuthenticator`. Never passed to `createAuthenticator`. */
  lastUsedAt?: Date | null
}

/** A verified email address: the owner of the account at the provider can read mail sent to it. */
export interface VerifiedEmail {
  /** Id of the user. */
  userId: string
  /** The address as it is stored with the user. */
  email: string
  /** Id of the provider that verified it. */
  provider: string
}

/**
 * A user of another system with everything that belongs to them. `latchkey import` hands many of them to the method
 * `storeImported` of an adapter that has it, also within `transaction`; the service never calls it. All are stored or, if one of
 * them exists, none.
 */
export interface ImportedUser {
  readonly user: AdapterUser
  readonly accounts: readonly AdapterAccount[]
  readonly password: StoredPassword | null
  readonly factors: readonly AdapterFactor[]
  readonly passkeys: readonly AdapterAuthenticator[]
  readonly verifiedEmail: VerifiedEmail | null
}

/** What is unique of users who are imported. */
export interface ImportKeys {
  readonly ids: readonly string[]
  readonly emails: readonly string[]
  readonly accounts: readonly Pick<AdapterAccount, "provider" | "providerAccountId">[]
  readonly credentialIDs: readonly string[]
}

/** The rows of a store that have one of the keys. */
export interface ImportConflicts {
  readonly users: readonly AdapterUser[]
  readonly accounts: readonly AdapterAccount[]
  readonly authenticators: readonly AdapterAuthenticator[]
}

type MaybeNothing = null | undefined
