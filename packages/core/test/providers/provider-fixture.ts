import type { RefusedStage, VendorRules } from "@latchkey/testkit"

type Options = Readonly<Record<string, unknown>>

/** A test of one provider: the vendor's requests and responses, and the resulting user. */
export interface ProviderFixture extends VendorRules {
  /** ID of the provider. Default: the ID that its factory sets. */
  readonly id?: string
  /** Required options besides the client ID and secret. */
  readonly options?: Options
  /** The same as environment variables, by the last part of their names. Null: the environment is not enough. */
  readonly env?: Readonly<Record<string, string>> | null
  /** The account's ID and the other fields of the user. */
  readonly user: ExpectedUser
  /** Expected fields of the stored account. */
  readonly account?: Readonly<Record<string, unknown>>
  /** Stages in which a refusal of the vendor does not prevent the sign-in. */
  readonly forgives?: readonly RefusedStage[]
  /** Options that the validation rejects, with a part of the message. */
  readonly mistakes?: readonly (readonly [options: Options, message: string])[]
  /** Users with other profiles, responses or options. */
  readonly others?: readonly OtherUser[]
}

export interface ExpectedUser {
  readonly id: string
  readonly name: string | null
  /** Null or missing: the vendor returns none. */
  readonly email?: string | null
  readonly image?: string | null
  /** The profile's `email_verified`, which account linking depends on. */
  readonly isEmailVerified?: boolean
}

export interface OtherUser {
  /** Completes the title "signs in a user ...", or "rejects a user ..." without a `user`. */
  readonly who: string
  readonly rules: Partial<VendorRules>
  /** Replace the fixture's options. */
  readonly options?: Options
  /** Null: the sign-in is refused. */
  readonly user: ExpectedUser | null
}
