import type { ProviderType } from "./common-provider.js"
import type { JsonValue } from "./json.js"

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
