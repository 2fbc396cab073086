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
