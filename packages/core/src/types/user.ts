import type { AnyValue, ProviderType } from "@latchkey/types"
import type { JsonValue } from "./basics.js"

/** The link between a user and a provider. A user may have several. */
export interface Account extends TokenSet {
  /** The provider's id. */
  provider: string
  /**
   * The user's id at the provider. OAuth and OpenID Connect: the `id` that the profile callback returned; email: the
   * address; credentials: the `id` that `authorize` returned; passkeys: the credential id.
   */
  providerAccountId: string
  /** The provider's type. */
  type: ProviderType
  /** Id of the user. */
  userId?: string
}

/** The answer of a token endpoint, RFC 6749 section 5.1, with the expiry time added. */
export interface TokenSet {
  /** Authorizes calls to the provider's API. */
  access_token?: string
  /** Signed claims about the user, OpenID Connect Core 1.0 section 2. */
  id_token?: string
  /** Gets a new access token, RFC 6749 section 6. */
  refresh_token?: string
  /** Granted scopes, separated by spaces. */
  scope?: string
  /** Always lower case, such as `bearer`. */
  token_type?: Lowercase<string>
  /** Lifetime of the access token in seconds, as the provider sent it. */
  expires_in?: number
  /** When the access token expires, in seconds since 1970-01-01T00:00:00Z, computed from `expires_in`. */
  expires_at?: number
  /** OpenID Connect Session Management 1.0 section 2. */
  session_state?: string
  /** Grants of a rich authorization request, RFC 9396. */
  authorization_details?: readonly AuthorizationDetails[]
  [key: string]: unknown
}

/** One grant of a rich authorization request, RFC 9396 section 2. Further members depend on `type`. */
export interface AuthorizationDetails {
  /** The kind of grant, which defines its other members. */
  readonly type: string
  /** Where the resource is. */
  readonly locations?: readonly string[]
  /** What may be done with the resource. */
  readonly actions?: readonly string[]
  /** Which data of the resource is meant. */
  readonly datatypes?: readonly string[]
  /** Privilege levels at the resource. */
  readonly privileges?: readonly string[]
  /** Id of one resource. */
  readonly identifier?: string
  readonly [key: string]: JsonValue | undefined
}

/** The profile that a provider returned: the standard claims of OpenID Connect Core 1.0 section 5.1, and any other. */
export interface Profile {
  /** The user's id, for providers without `sub`. */
  id?: string | null
  /** The user's id at an OpenID Connect provider. */
  sub?: string | null
  /** Full name for display. */
  name?: string | null
  /** First name. */
  given_name?: string | null
  /** Last name. */
  family_name?: string | null
  /** Middle name. */
  middle_name?: string | null
  /** Casual name. */
  nickname?: string | null
  /** User name, which may change and need not be unique. */
  preferred_username?: string | null
  /** URL of the profile page. */
  profile?: string | null
  /** URL of the picture; some providers nest it in an object. */
  picture?: AnyValue
  /** URL of the user's own site. */
  website?: string | null
  /** Email address. Check `email_verified` before you rely on it. */
  email?: string | null
  /** Whether the provider verified the email address. */
  email_verified?: boolean | null
  /** Gender, such as `female` or `male`. */
  gender?: string | null
  /** Birthday, `YYYY-MM-DD`; the year may be `0000`. */
  birthdate?: string | null
  /** Time zone, such as `Europe/Paris`. */
  zoneinfo?: string | null
  /** Language and region, such as `en-US`. */
  locale?: string | null
  /** Phone number, preferably in E.164 form. */
  phone_number?: string | null
  /** When the profile last changed; seconds since 1970-01-01T00:00:00Z in the standard. */
  updated_at?: Date | string | number | null
  /** Postal address, OpenID Connect Core 1.0 section 5.1.1. */
  address?: {
    /** The whole address, with line breaks. */
    formatted?: string | null
    /** Street and number. */
    street_address?: string | null
    /** City. */
    locality?: string | null
    /** State, province or prefecture. */
    region?: string | null
    /** Zip or postal code. */
    postal_code?: string | null
    /** Country name. */
    country?: string | null
  } | null
  [claim: string]: unknown
}
