import type { Adapter } from "./adapter.js"
import type { CallbacksOptions } from "./callbacks.js"
import type { CookiesOptions } from "./cookies.js"
import type { EventCallbacks } from "./events.js"
import type { JWTOptions, Secret } from "./jwt.js"
import type { LoggerInstance } from "./logger.js"
import type { raw, skipCSRFCheck } from "./markers.js"
import type { PagesOptions } from "./pages.js"
import type { Provider } from "./provider.js"
import type { RateLimitOptions } from "./rate-limit.js"
import type { RequestLimits } from "./request-limits.js"
import type { Theme } from "./theme.js"

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
