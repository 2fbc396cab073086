import type { User } from "@latchkey/types"
import type { AdapterAuthenticator, AdapterUser } from "../types/adapter.js"
import type { Account, Profile, TokenSet } from "../types/user.js"

/** An identity provider vouches for this account. */
export interface OAuthProof {
  readonly kind: "oauth"
  /** What the provider's `profile` callback made of the profile. */
  readonly user: User
  /** With the whole token set. */
  readonly account: Account
  readonly profile: Profile
  /** Asks the provider's `account` callback which part of the token set may be stored. Nothing: none of it. */
  readonly selectTokens: () => TokenSet | undefined
  /** Whether the host lets an email address alone decide whose account this is. */
  readonly isEmailTrusted: boolean
}

/** The person followed a link that was sent to this address. */
export interface EmailProof {
  readonly kind: "email"
  readonly user: AdapterUser
  /** Whether the store knew the address when the link was followed. */
  readonly isKnown: boolean
  readonly account: Account
}

/** The host's `authorize` callback said who this is. */
export interface CredentialsProof {
  readonly kind: "credentials"
  readonly user: User
  readonly account: Account
  /** What the visitor typed. */
  readonly credentials: Readonly<Record<string, unknown>>
}

/** A device proved that it holds the key of a passkey. */
export interface PasskeyProof {
  readonly kind: "webauthn"
  /** The passkey's owner; whoever signs up with it is not stored yet. */
  readonly user: User | AdapterUser
  readonly account: Account
  /** The passkey, when it was made just now and is not stored yet. Null: it is stored, and `user` is its owner. */
  readonly made: Omit<AdapterAuthenticator, "userId"> | null
}

/** Who somebody proved to be, and with which account. Nothing is decided or written yet. */
export type Proof = OAuthProof | EmailProof | CredentialsProof | PasskeyProof

/** Whom a proof turned out to mean. */
export interface SignInResult {
  readonly user: User | AdapterUser
  /** Whether the user was created just now; undefined where no store could tell. */
  readonly isNewUser: boolean | undefined
  /** Whether the person was signed in as this user already. */
  readonly isSignedInAlready: boolean
  /** True when an account or a passkey was added just now, which is the user's from here on. */
  readonly isAccountAdded?: boolean
}
