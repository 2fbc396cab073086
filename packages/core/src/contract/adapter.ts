import type { Account } from "./account.js"
import type { Awaitable } from "./awaitable.js"
import type { User } from "./user.js"

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
  deleteUser?(userId: string): Awaitable<AdapterUser | undefined> | Awaitable<AdapterUser | null> | Promise<void>
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
  updateAuthenticatorCounter?(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
}
