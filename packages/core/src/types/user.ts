import type { ProviderType } from "@latchkey/types"
import type { JsonValue } from "./basics.js"

/** One grant of a rich authorization request, RFC 9396 section 2. Its further members depend on `type`. */
export interface AuthorizationDetails {
  readonly type: string
  readonly locations?: readonly string[]
  readonly actions?: readonly string[]
  readonly datatypes?: readonly string[]
  readonly privileges?: readonly string[]
  readonly identifier?: string
  readonly [key: string]: JsonValue | undefined
}

/** The answer of a token endpoint, RFC 6749 section 5.1, with the instant of expiry beside the lifetime. */
export interface TokenSet {
  access_token?: string
  id_token?: string
  refresh_token?: string
  scope?: string
  /** Always lower case. */
  token_type?: Lowercase<string>
  /** Lifetime in seconds as the provider stated it. */
  expires_in?: number
  /** Seconds since 1970-01-01T00:00:00Z, computed from `expires_in`. */
  expires_at?: number
  session_state?: string
  authorization_details?: readonly AuthorizationDetails[]
  [key: string]: unknown
}

/** The connection between a user and a provider. One user may have many. */
export interface Account extends TokenSet {
  /** The provider's id. */
  provider: string
  /**
   * Who this is at the provider. OAuth and OIDC: the id of the profile callback; email: the address;
   * credentials: the id that `authorize` returned.
   */
  providerAccountId: string
  type: ProviderType
  userId?: string
}

/**
 * What an identity provider says of a person: the standard claims of OpenID Connect Core 1.0 section 5.1 and any other.
 */
export interface Profile {
  id?: string | null
  sub?: string | null
  name?: string | null
  given_name?: string | null
  family_name?: string | null
  middle_name?: string | null
  nickname?: string | null
  preferred_username?: string | null
  profile?: string | null
  /** A URL in the standard; some providers nest it. */
  picture?: unknown
  website?: string | null
  email?: string | null
  email_verified?: boolean | null
  gender?: string | null
  birthdate?: string | null
  zoneinfo?: string | null
  locale?: string | null
  phone_number?: string | null
  updated_at?: Date | string | number | null
  address?: {
    formatted?: string | null
    street_address?: string | null
    locality?: string | null
    region?: string | null
    postal_code?: string | null
    country?: string | null
  } | null
  [claim: string]: unknown
}
