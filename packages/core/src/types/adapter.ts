import type { User } from "@latchkey/types"
import type { Awaitable } from "./basics.js"
import type { Account } from "./user.js"

/** A user as the store keeps it. */
export interface AdapterUser extends User {
  id: string
  email: string
  /** Null until the first sign-in by email, then the instant of that one. */
  emailVerified: Date | null
}

/** An account as the store keeps it: with its owner. */
export interface AdapterAccount extends Account {
  userId: string
}

/** A stored session. `expires` is the instant after which it is refused. */
export interface AdapterSession {
  /** Random value that finds the session; the cookie holds nothing else. */
  sessionToken: string
  userId: string
  expires: Date
}

/** A mailed link that was not followed yet. `expires` is the instant after which it is refused. */
export interface VerificationToken {
  /** The normalised email address. */
  identifier: string
  expires: Date
  /** Hash of the mailed token; the token itself is never stored. */
  token: string
}

/** A WebAuthn credential; ids and keys in standard base64. */
export interface AdapterAuthenticator {
  credentialID: string
  credentialPublicKey: string
  counter: number
  credentialDeviceType: string
  credentialBackedUp: boolean
  /** Comma-separated. */
  transports?: string | null
  providerAccountId: string
  userId: string
  /** What its owner calls it. Never given to `createAuthenticator`: a store need not have room for it. */
  name?: string | null
  /** The last sign-in with it, where the store has `updateAuthenticator`. Never given to `createAuthenticator`. */
  lastUsedAt?: Date | null
}

/** That a provider vouched for a user's address: who has the account there can read the mail that is sent to it. */
export interface VerifiedEmail {
  userId: string
  /** As the user's record has it. */
  email: string
  /** Id of the provider. */
  provider: string
}

type MaybeNothing = null | undefined

/**
 * The host's data store. Every method is optional; what a configuration needs is checked when it is resolved.
 * "Not there" is null. A method that cannot do its work throws.
 */
export interface Adapter {
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  getUser?(id: string): Awaitable<AdapterUser | null>
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  getUserByAccount?(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Awaitable<AdapterUser | null>
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>
  deleteUser?(userId: string): Promise<void> | Awaitable<AdapterUser | MaybeNothing>
  linkAccount?(account: AdapterAccount): Promise<void> | Awaitable<AdapterAccount | MaybeNothing>
  unlinkAccount?(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<void> | Awaitable<AdapterAccount | undefined>
  getAccount?(
    providerAccountId: AdapterAccount["providerAccountId"],
    provider: string,
  ): Awaitable<AdapterAccount | null>
  createSession?(session: AdapterSession): Awaitable<AdapterSession>
  /** Both in one lookup where the store can do that. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | MaybeNothing>
  deleteSession?(sessionToken: string): Promise<void> | Awaitable<AdapterSession | MaybeNothing>
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | MaybeNothing>
  /** Returns the token and removes it in one step, so that one caller of many gets it. */
  useVerificationToken?(params: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>
  listAuthenticatorsByUserId?(userId: string): Awaitable<AdapterAuthenticator[]>
  /**
   * Raises the counter and returns the record as it is then. A counter never moves back: a record that holds a larger
   * one keeps it, and is returned with it, by which the service knows that another sign-in came between.
   */
  updateAuthenticatorCounter?(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
  /**
   * Optional for every configuration. Changes `name`, `lastUsedAt`, `credentialBackedUp` and `transports`, and nothing
   * else of a credential. The service calls it after each sign-in with a passkey; a host calls it to name one.
   */
  updateAuthenticator?(
    changes: Partial<AdapterAuthenticator> & Pick<AdapterAuthenticator, "credentialID">,
  ): Awaitable<AdapterAuthenticator>
  /**
   * Optional for every configuration. Removes a credential and returns it to the one caller who did. The account that
   * belongs to it is removed by `unlinkAccount`; without one of the two it signs nobody in any more.
   */
  deleteAuthenticator?(credentialID: string): Promise<void> | Awaitable<AdapterAuthenticator | MaybeNothing>
  /**
   * Optional for every configuration. Remembers an id until it expires, in one step: true for the first caller alone,
   * of however many. With it a completed flow or challenge cannot be played again at another instance of the service;
   * without it each process remembers its own. The id is a hash and tells nothing.
   */
  consumeOnce?(id: string, expires: Date): Awaitable<boolean>
  /**
   * Optional, together with `isEmailVerified`. Keeps that a provider vouched for a user's address, for as long as the
   * user is there. Called again for the same user and address it changes nothing. A host may call it for users whom it
   * makes itself.
   */
  markEmailVerified?(vouched: VerifiedEmail): Awaitable<unknown>
  /**
   * Whether `markEmailVerified` was called for this user and this very address. With it the service keeps strangers out of an
   * account whose address nobody proved; without it, it cannot tell such accounts.
   */
  isEmailVerified?(user: Pick<AdapterUser, "id" | "email">): Awaitable<boolean>
  /**
   * Optional for every configuration. Asked, where it is there, whether anybody has an account by which to be a certain
   * user.
   */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>
}
