import type { RefusedStage, VendorRules } from "@latchkey/testkit"

type Options = Readonly<Record<string, unknown>>

/** How one provider is proven: what its vendor wants and answers, and who must come out of it. */
export interface ProviderFixture extends VendorRules {
  /** Id of the provider. Default: the name of the file. */
  readonly id?: string
  /** Options that this provider cannot do without, besides id and secret. */
  readonly options?: Options
  /** The same from the environment, by the last part of the variable's name. Null: the environment is not enough. */
  readonly env?: Readonly<Record<string, string>> | null
  /** Id of the account, and what the user consists of otherwise. */
  readonly user: ExpectedUser
  /** Further fields that the stored account must have. */
  readonly account?: Readonly<Record<string, unknown>>
  /** Where the vendor may refuse without keeping anybody out. */
  readonly forgives?: readonly RefusedStage[]
  /** Options that the configuration is refused for, with a part of what is said. */
  readonly mistakes?: readonly (readonly [options: Options, message: string])[]
  /** People of whom the vendor tells less or otherwise, and those who come by other options. */
  readonly others?: readonly OtherPerson[]
}

export interface ExpectedUser {
  readonly id: string
  readonly name: string | null
  /** Null or absent: the vendor tells none. */
  readonly email?: string | null
  readonly image?: string | null
  /** What the profile says of the address under the standard's name, which the rules of linking go by. */
  readonly isEmailVerified?: boolean
}

export interface OtherPerson {
  /** Completes the sentence "signs in somebody ...". */
  readonly who: string
  readonly rules: Partial<VendorRules>
  /** In place of the fixture's. */
  readonly options?: Options
  /** Null: the sign-in is refused. */
  readonly user: ExpectedUser | null
}
