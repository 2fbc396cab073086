/** What this service calls at a provider. */
export type EndpointKind = "authorization" | "discovery" | "jwks" | "pushed-authorization" | "token" | "userinfo"

export interface ProviderErrorFacts {
  /** Tells the failures apart; a code of the protocol library begins with `OAUTH_`. */
  readonly code: string
  readonly endpoint?: EndpointKind | undefined
  /** HTTP status of the answer. */
  readonly status?: number | undefined
  /** Error code of the protocol, such as `invalid_grant`; RFC 6749 section 5.2. */
  readonly error?: string | undefined
}

/** Failures of a token, whoever found them: this service, or the protocol library. */
const tokenCodes: ReadonlySet<string> = new Set([
  "access-token-hash",
  "algorithm",
  "claim-missing",
  "no-id-token",
  "nonce",
  "not-a-jwt",
  "signature",
  "token-age",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
])

/**
 * A provider could not be reached, or answered something that cannot be accepted. Of the answer it holds the status
 * and the protocol's error code, never a body, a parameter or a token, so that it may be logged as it is.
 */
export class ProviderError extends Error {
  override readonly name: string = "ProviderError"
  readonly code: string
  readonly endpoint?: EndpointKind
  readonly status?: number
  readonly error?: string

  constructor(message: string, { code, endpoint, status, error }: ProviderErrorFacts) {
    super(message)
    this.code = code
    if (endpoint !== undefined) this.endpoint = endpoint
    if (status !== undefined) this.status = status
    if (error !== undefined) this.error = error
  }

  /** Whether it was a token that could not be accepted. */
  get isAboutToken(): boolean {
    // The library has no code of its own for claims that are absent or of another type.
    return tokenCodes.has(this.code) || (this.code === "OAUTH_INVALID_RESPONSE" && this.message.includes("JWT "))
  }
}
