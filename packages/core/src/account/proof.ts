import type { Account, TokenSet } from "../contract/account.js"
import type { AdapterAuthenticator, AdapterUser } from "../contract/adapter.js"
import type { Profile } from "../contract/profile.js"
import type { User } from "../contract/user.js"

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
