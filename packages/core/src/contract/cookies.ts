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
