import type { Adapter } from "./adapter.js"
import type { CallbacksOptions } from "./callbacks.js"
import type { CookiesOptions } from "./cookies.js"
import type { EventCallbacks } from "./events.js"
import type { JWTOptions, Secret } from "./jwt.js"
import type { LoggerInstance } from "./logger.js"
import type { raw, skipCSRFCheck } from "./markers.js"
import type { PagesOptions } from "./pages.js"
import type { Provider } from "./provider.js"
import type { Theme } from "./theme.js"

/** How sessions are kept, and for how long. */
export interface SessionOptions {
  /** Default: `database` with an adapter, else `jwt`. */
  readonly strategy?: "jwt" | "database"
  /** Idle lifetime in seconds. Default: 30 days. */
  readonly maxAge?: number
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
  /** Default: what the request's scheme says. */
  useSecureCookies?: boolean
  /**
   * Mounted address of another instance that receives callbacks for this one, and passes codes on to the host under which a
   * flow began. Only for services whose host header is checked: whoever may choose it would receive other people's codes.
   */
  redirectProxyUrl?: string
  experimental?: { readonly enableWebAuthn?: boolean }
  skipCSRFCheck?: typeof skipCSRFCheck
  raw?: typeof raw
}
