/** The headers of a request, as far as they are read. `Headers` are such; names are asked for in lower case. */
export interface IncomingHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | null
  has(name: string): boolean
}

/**
 * A request, as far as it is read. Every `Request` is one; a server of another kind hands in what it has, since making
 * a `Request` of it costs more than answering it.
 */
export interface IncomingRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: IncomingHeaders
  /** A stream that is read once, or what somebody has read of it. Null: there is none. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | string | null
}

/** An answer for servers that write it themselves, without a `Response` in between. */
export interface Answer {
  readonly status: number
  /** Names in lower case. `set-cookie` may come several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
}

/** A cookie that an answer sets, before it is written as a header. */
export interface ResponseCookie {
  readonly name: string
  readonly value: string
  readonly options: CookieSerializeOptions
}

/** What `Auth` returns with the `raw` marker: the answer before it becomes a `Response`. */
export interface ResponseInternal {
  readonly status?: number
  readonly headers?: Headers
  /** An object for JSON actions, a string for pages. */
  readonly body?: unknown
  readonly redirect?: string
  readonly cookies?: readonly ResponseCookie[]
}

/** What the caller of the service knows of a request besides the request. */
export interface AuthContext {
  /** The address at the other end of the socket. */
  readonly clientAddress?: string | undefined
  /**
   * Whether `clientAddress` is the visitor's own, because the caller has looked through the proxies that it trusts. No
   * forwarding header is read then. Default: false.
   */
  readonly isForwarded?: boolean | undefined
  /** What the caller's own log calls the request, for the records of this one. Default: the header `X-Request-Id`. */
  readonly requestId?: string | undefined
  /**
   * Whether the caller has made sure that a form came from this site, as frameworks do for their own form actions. No
   * csrf token is asked for then; a foreign `Origin` is refused all the same. Default: false.
   */
  readonly isVerifiedForm?: boolean | undefined
}

/** Attributes of a `Set-Cookie` header, RFC 6265bis section 5.5. */
export interface CookieSerializeOptions {
  domain?: string | undefined
  path?: string | undefined
  httpOnly?: boolean | undefined
  secure?: boolean | undefined
  sameSite?: true | false | "lax" | "strict" | "none" | undefined
  /** Seconds. */
  maxAge?: number | undefined
  expires?: Date | undefined
  partitioned?: boolean | undefined
  priority?: "low" | "medium" | "high" | undefined
}

/** Name and attributes of one cookie. */
export interface CookieOption {
  name: string
  options: CookieSerializeOptions
}

/** The cookies that the service sets, by purpose. */
export interface CookiesOptions {
  sessionToken: Partial<CookieOption>
  callbackUrl: Partial<CookieOption>
  csrfToken: Partial<CookieOption>
  pkceCodeVerifier: Partial<CookieOption>
  state: Partial<CookieOption>
  nonce: Partial<CookieOption>
  webauthnChallenge: Partial<CookieOption>
}

/** What a cookie is for. */
export type CookiePurpose = keyof CookiesOptions
