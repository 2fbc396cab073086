import type { Adapter } from "../contract/adapter.js"
import type { CallbacksOptions } from "../contract/callbacks.js"
import type { AuthConfig } from "../contract/config.js"
import type { CookiesOptions } from "../contract/cookies.js"
import type { EventCallbacks } from "../contract/events.js"
import type { JWTOptions } from "../contract/jwt.js"
import type { LoggerInstance } from "../contract/logger.js"
import type { PagesOptions } from "../contract/pages.js"
import type { RequestLimits } from "../contract/request-limits.js"
import type { Theme } from "../contract/theme.js"
import type { ResolvedProvider } from "./resolved-provider.js"

export interface ResolvedSession {
  readonly strategy: "jwt" | "database"
  /** Seconds. */
  readonly maxAge: number
  /** Seconds. Undefined: sessions end when they are idle alone. */
  readonly absoluteMaxAge: number | undefined
  /** Seconds. */
  readonly updateAge: number
  readonly generateSessionToken: (() => string) | undefined
}

export interface ResolvedJwt {
  readonly secrets: readonly string[]
  /** Seconds. */
  readonly maxAge: number
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
}

/** A host's configuration with every default filled in. Never written to. */
export interface ResolvedConfig {
  readonly providers: readonly ResolvedProvider[]
  readonly adapter: Adapter | undefined
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string
  /** Newest first. Empty when the host gave none, which is refused. */
  readonly secrets: readonly string[]
  readonly callbacks: Partial<CallbacksOptions> | undefined
  readonly events: Partial<EventCallbacks> | undefined
  readonly cookies: Partial<CookiesOptions> | undefined
  readonly session: ResolvedSession
  readonly jwt: ResolvedJwt
  readonly pages: Partial<PagesOptions>
  readonly theme: Theme
  readonly logger: Partial<LoggerInstance> | undefined
  readonly isDebug: boolean
  readonly isProduction: boolean
  readonly trustHost: boolean
  readonly allowedOrigins: readonly string[] | undefined
  readonly useSecureCookies: boolean | undefined
  readonly isCsrfSkipped: boolean
  readonly isWebAuthnEnabled: boolean
  /** Texts until they are found to be addresses and ranges. */
  readonly trustedProxies: readonly string[]
  readonly clientAddress: AuthConfig["clientAddress"]
  readonly rateLimit: AuthConfig["rateLimit"]
  readonly requestLimits: RequestLimits
}
