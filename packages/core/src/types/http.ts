import type { Optional } from "./basics.js"

/**
 * The parts of a request that the service reads. Every `Request` fits; other servers pass what they have, because
 * creating a `Request` costs more than answering it.
 */
export interface IncomingRequest {
  /** `GET` or `POST`; the service refuses other methods. */
  readonly method: string
  /** Absolute URL. */
  readonly url: string
  /** The request's headers. */
  readonly headers: IncomingHeaders
  /** A stream that is read once, or a body that was already read. Null if there is none. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | string | null
}

/** The headers of a request, with names in lower case. Every `Headers` fits. */
export interface IncomingHeaders extends Iterable<[name: string, value: string]> {
  /** The value, or null. */
  get(name: string): string | null
  /** Whether the request has the header. */
  has(name: string): boolean
}

/** What the caller of the service knows about a request. */
export interface AuthContext {
  /** The IP address at the other end of the connection. */
  readonly clientAddress?: string | undefined
  /**
   * Whether `clientAddress` is already the visitor's, because the caller evaluated the forwarding headers. They are not
   * read again then. Default: false.
   */
  readonly isForwarded?: boolean | undefined
  /**
   * The IP address at the other end of the connection, where `clientAddress` is the visitor's. It has a budget if the
   * visitor's is no address. Default: none.
   */
  readonly peerAddress?: string | undefined
  /**
   * Whether the framework believes the forwarding headers of everyone, so that a client could choose its address. Then
   * `clientAddress` is that of the connection, and the log says so. Default: false.
   */
  readonly trustsEveryProxy?: boolean | undefined
  /** The caller's id of the request, for log records. Default: the header `X-Request-Id`. */
  readonly requestId?: string | undefined
  /**
   * Whether the caller verified that a form was sent by this site, as frameworks do for their form actions. No CSRF
   * token is required then; a foreign `Origin` is still refused. Default: false.
   */
  readonly isVerifiedForm?: boolean | undefined
  /**
   * Whether the answer can set cookies. If not, a session of another library (`session.accept`) is shown, and nothing is
   * stored about it. Default: true.
   */
  readonly canSetCookies?: boolean | undefined
  /**
   * How the app's code makes the framework trust its proxy, such as `app.set("trust proxy", 1)`. Named in the log if the
   * host is not trusted, or a form seems to come from another origin. Default: none.
   */
  readonly proxySetting?: string | undefined
}

/** An answer for servers that write it themselves, without a `Response`. */
export interface Answer {
  /** HTTP status code. */
  readonly status: number
  /** Names in lower case. `set-cookie` may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The text of the body, or null. */
  readonly body: string | null
}

/** What `Auth` returns with the `raw` marker: the answer before it becomes a `Response`. */
export interface ResponseInternal {
  /** HTTP status code. */
  readonly status?: number
  /** The headers, without the cookies. */
  readonly headers?: Headers
  /** An object for JSON actions, a string for pages. */
  readonly body?: unknown
  /** The URL to redirect to. */
  readonly redirect?: string
  /** The cookies to set. */
  readonly cookies?: readonly ResponseCookie[]
}

/** A cookie to set, before it is serialized. */
export interface ResponseCookie {
  /** The cookie's name. */
  readonly name: string
  /** The value, before it is percent-encoded. */
  readonly value: string
  /** The cookie's attributes. */
  readonly options: CookieSerializeOptions
}

/** Names and attributes of the cookies, by purpose. */
export interface CookiesOptions {
  /** The session. A long value is split into several cookies with a numbered suffix. */
  sessionToken: Optional<CookieOption>
  /** Where to redirect after the sign-in. */
  callbackUrl: Optional<CookieOption>
  /** The CSRF token. */
  csrfToken: Optional<CookieOption>
  /** The PKCE code verifier of a flow, RFC 7636. */
  pkceCodeVerifier: Optional<CookieOption>
  /** The state of a flow, RFC 6749 section 10.12. */
  state: Optional<CookieOption>
  /** The nonce of a flow, OpenID Connect Core 1.0 section 15.5.2. */
  nonce: Optional<CookieOption>
  /** The challenge of a passkey. */
  webauthnChallenge: Optional<CookieOption>
}

/** What a cookie is for. */
export type CookiePurpose = keyof CookiesOptions

/** Name and attributes of one cookie. */
export interface CookieOption {
  /** The cookie's name. */
  name: string
  /** The cookie's attributes. */
  options: CookieSerializeOptions
}

/** Attributes of a `Set-Cookie` header, RFC 6265bis section 5.5. */
export interface CookieSerializeOptions {
  /** The domain whose subdomains also get the cookie. Default: only the exact host. */
  domain?: string | undefined
  /** The path below which the cookie is sent. Default of the service: `/`. */
  path?: string | undefined
  /** Hides the cookie from scripts. Default of the service: true. */
  httpOnly?: boolean | undefined
  /** Sends the cookie over https only. Default of the service: true if the request uses https. */
  secure?: boolean | undefined
  /** Whether requests from other sites carry the cookie; true means `strict`. Default of the service: `lax`. */
  sameSite?: true | false | "lax" | "strict" | "none" | undefined
  /** Lifetime in seconds. */
  maxAge?: number | undefined
  /** When the cookie expires. `maxAge` takes precedence in browsers. */
  expires?: Date | undefined
  /** Keeps a separate cookie for each top-level site (CHIPS). */
  partitioned?: boolean | undefined
  /** Which cookies browsers drop first when there are too many. */
  priority?: "low" | "medium" | "high" | undefined
}
