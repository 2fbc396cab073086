import type { JWK } from "jose"

/** How an app proves who it is where it calls the provider itself. */
export type ClientAuthMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "none"

/** An app as it is registered at the identity provider, RFC 7591 section 2. */
export interface Client {
  readonly client_id: string
  /** Default where the method needs one: a random text. */
  readonly client_secret?: string
  /** Default: `client_secret_basic`. */
  readonly token_endpoint_auth_method?: ClientAuthMethod
  /**
   * Compared exactly. Default: whatever the app says first, which must then be repeated exactly at the token endpoint.
   */
  readonly redirect_uris?: readonly string[]
  /** Public keys for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JWK[] }
  /** Refuses authorization requests without a code challenge. Default: false. */
  readonly require_pkce?: boolean
  /** Refuses authorization requests that were not pushed, RFC 9126 section 6. Default: false. */
  readonly require_pushed_authorization_requests?: boolean
}

/** A registered app with every default filled in. */
export interface RegisteredClient extends Client {
  readonly client_secret: string
  readonly token_endpoint_auth_method: ClientAuthMethod
}

/** The app that is registered where a test names none. */
export const defaultClient: Client = { client_id: "rp" }

export function registerClient(client: Client): RegisteredClient {
  return { client_secret: `idp-${crypto.randomUUID()}`, token_endpoint_auth_method: "client_secret_basic", ...client }
}
