import type { User } from "@latchkey/types"
import type { AdapterAuthenticator, AdapterUser } from "../types/adapter.js"
import type { Account, Profile, TokenSet } from "../types/user.js"

/**
 * How a person proved who they are, as in the claim `amr` (RFC 8176): a password, a one-time code, a key in hardware or
 * software, and that the owner of the key was verified (`user`). Beyond that list: a mailed secret, an account at a
 * provider, and a recovery code. `mfa`: a provider that the host trusts with it asked for a second factor.
 */
export type AuthMethod = "pwd" | "otp" | "hwk" | "swk" | "user" | "mfa" | "email" | "fed" | "rcv"

/**
 * The identity that a callback proved. Nothing is decided or stored yet. Each sign-in method adds what it needs to
 * resolve the user.
 */
export interface Proof {
  /** The user passed to the `signIn` callback: the stored user if the account is linked to one. */
  readonly candidate: User | AdapterUser
  readonly account: Account
  readonly achieved: readonly AuthMethod[]
  /** Passed to callbacks and events. */
  readonly profile?: Profile
  /** The submitted form fields, passed to the `signIn` callback. */
  readonly credentials?: Readonly<Record<string, unknown>>
  /** The user's id if it is known before the sign-in completes. Recorded in the log when the sign-in is refused. */
  readonly knownUserId: string | undefined
  /** Whether the current session's user affects the result, because an account or address may be linked to it. */
  readonly dependsOnSession: boolean
}

/** Where the `signIn` callback sends the visitor instead of signing the user in. */
export interface SignInRedirect {
  readonly redirectUrl: string
}

/** An account at an identity provider. */
export interface OAuthProof extends Proof {
  /** The result of the provider's `profile` callback, its address in the normal form. */
  readonly user: User
  /** The address as it may be stored since before addresses had one form. Undefined if that is the same. */
  readonly givenEmail?: string
  readonly profile: Profile
  /** The stored user that the account is linked to. */
  readonly accountOwner: AdapterUser | null
  /**
   * The id of the user who was signed in when the sign-in began; null without one, undefined when that is unknown. The
   * account is linked to this user only.
   */
  readonly initiatorId: string | null | undefined
  /** Calls the provider's `account` callback, which selects the tokens to store. Undefined stores none. */
  readonly selectTokens: () => TokenSet | undefined
  /** Adds what a refresh needs to selected tokens, for the option `accessTokens`. */
  readonly toKept: (selected: TokenSet) => TokenSet
  /** Whether `allowDangerousEmailAccountLinking` is set. */
  readonly isEmailTrusted: boolean
}

/** An address whose mailed link was followed. */
export interface EmailProof extends Proof {
  readonly user: AdapterUser
  /** Whether the store had a user with this address when the link was followed. */
  readonly isKnown: boolean
}

/** A user that the host's `authorize` callback returned. */
export interface CredentialsProof extends Proof {
  readonly user: User
  readonly credentials: Readonly<Record<string, unknown>>
}

/** A response signed with a passkey. */
export interface PasskeyProof extends Proof {
  /** The owner of the passkey; not stored yet when someone signs up with it. */
  readonly user: User | AdapterUser
  /** The passkey to store. Null if it is stored already. */
  readonly newCredential: Omit<AdapterAuthenticator, "userId"> | null
}
