import type { Adapter } from "./adapter.js"
import type { raw, skipCSRFCheck, Theme } from "./basics.js"
import type { CallbacksOptions, EventCallbacks } from "./callbacks.js"
import type { CookiesOptions } from "./http.js"
import type { JWTOptions, Secret } from "./jwt.js"
import type { LoggerInstance } from "./logger.js"
import type { Provider } from "./providers.js"
import type { RateLimitOptions } from "./rate-limit.js"

/** How sessions are kept, and for how long. */
export interface SessionOptions {
  /** Default: `database` with an adapter, else `jwt`. */
  readonly strategy?: "jwt" | "database"
  /** Idle lifetime in seconds. Default: 30 days. */
  readonly maxAge?: number
  /**
   * Seconds after the sign-in when a session ends however often it is used. A token then has the claim `auth_time`; the
   * token of a stored session has the instant behind it, so its column must take text. Default: none.
   */
  readonly absoluteMaxAge?: number
  /** A stored session is extended at most once in so many seconds. 0: at each access. Default: one day. */
  readonly updateAge?: number
  /** Default: 32 random bytes in hexadecimal. */
  readonly generateSessionToken?: () => string
}

/** Everything a host decides. */
export interface AuthConfig {
  providers: Provider[]
  adapter?: Adapter
  /** Where the actions are mounted. Default: `/auth`. */
  basePath?: string
  /** At least 32 random characters. Several: newest first. */
  secret?: Secret
  callbacks?: Partial<CallbacksOptions>
  events?: Partial<EventCallbacks>
  cookies?: Partial<CookiesOptions>
  session?: SessionOptions
  jwt?: Partial<JWTOptions>
  pages?: Partial<PagesOptions>
  theme?: Theme
  logger?: Partial<LoggerInstance>
  debug?: boolean
  /** Says that the request's host is to be believed: it is checked by what stands before this service. */
  trustHost?: boolean
  /**
   * The origins under which the service may be addressed: `https://app.test`, or `https://*.app.test` for every name
   * with one label before `.app.test`. Requests for others are refused, and a redirect proxy forwards to these alone.
   * List those of all instances that share this configuration. Default: whatever host is trusted; a redirect proxy then
   * forwards nowhere.
   */
  allowedOrigins?: readonly string[]
  /** Default: what the request's scheme says. */
  useSecureCookies?: boolean
  /**
   * Mounted address of another instance that receives callbacks for this one, and passes codes on to where the flow
   * began, if its `allowedOrigins` list that place.
   */
  redirectProxyUrl?: string
  /**
   * Addresses and ranges (`10.0.0.0/8`, `2001:db8::1`) of the proxies in front of this service. What they forward of a
   * visitor's address is believed; what others say of it is not. Default: none.
   */
  trustedProxies?: readonly string[]
  /**
   * The visitor's address, on platforms without sockets: from a header that the platform itself sets on every request.
   * Undefined: it is not known. Default: what the integration says, and `trustedProxies`.
   */
  clientAddress?: (request: Request) => string | undefined
  /**
   * How much one network may ask for, and how often an account's password may be wrong. Default: on in production
   * alone.
   */
  rateLimit?: RateLimitOptions | false
  /** How large requests may be, and how many cookies the service lets a browser keep. */
  requestLimits?: Partial<RequestLimits>
  experimental?: { readonly enableWebAuthn?: boolean }
  skipCSRFCheck?: typeof skipCSRFCheck
  raw?: typeof raw
}

/** The host's own pages, as paths or URLs. A page that is not given is the built-in one. */
export interface PagesOptions {
  /** Receives `callbackUrl` and, after a failure, `error` (and `code`) in the query. */
  signIn: string
  signOut: string
  /** Receives `error` in the query. */
  error: string
  verifyRequest: string
  /** Where a person goes after the very first sign-in. */
  newUser: string
}

/** How much one request may bring, and how much of it a browser is given to keep. All whole numbers. */
export interface RequestLimits {
  /** Bytes of a body, before it is parsed; more is answered with 413. 1,024 to 16 MiB. Default: 64 KiB. */
  readonly bodyBytes: number
  /**
   * Bytes of all header fields together, names included; where a session is read, of its cookies alone. More is
   * answered with
   * 431. Node has a limit of its own, 16 KiB unless told otherwise, which comes first. At least 4,096 for each of
   * `sessionChunks`, at most 1 MiB. Default: 16 KiB more than that least.
   */
  readonly headerBytes: number
  /** Characters of the address, its query included; more is answered with 414. 1,024 to 1 MiB. Default: 16 KiB. */
  readonly urlLength: number
  /** Pairs in the query; more are answered with 400. 10 to 10,000. Default: 100. */
  readonly queryPairs: number
  /** Levels of nesting in JSON; more are answered with 400. 4 to 1,000. Default: 32. */
  readonly jsonDepth: number
  /**
   * Cookies of 3,936 characters that one session may take, 1 to 20. A sign-in whose session needs more fails; a request
   * that brings more has no session. Default: 20.
   */
  readonly sessionChunks: number
  /** Sign-ins that one browser may have begun and not completed; the oldest gives way. 1 to 20. Default: 5. */
  readonly flows: number
  /** The same for passkeys. 1 to 10. Default: 3. */
  readonly passkeyChallenges: number
}
