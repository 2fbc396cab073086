import { resolveRequestLimits } from "../http/limits.js"
import { normalizeBasePath } from "../http/request.js"
import type { Adapter } from "../types/adapter.js"
import { skipCSRFCheck, type Theme } from "../types/basics.js"
import type { CallbacksOptions, EventCallbacks } from "../types/callbacks.js"
import type { AuthConfig, PagesOptions, RequestLimits } from "../types/config.js"
import type { CookiesOptions } from "../types/http.js"
import type { JWTOptions, Secret } from "../types/jwt.js"
import type { LoggerInstance } from "../types/logger.js"
import { type ResolvedProvider, resolveProvider } from "./provider.js"

interface ResolvedSession {
  readonly strategy: "jwt" | "database"
  /** Seconds. */
  readonly maxAge: number
  /** Seconds. Undefined: sessions end when they are idle alone. */
  readonly absoluteMaxAge: number | undefined
  /** Seconds. */
  readonly updateAge: number
  readonly generateSessionToken: (() => string) | undefined
}

interface ResolvedJwt {
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

const daySeconds = 24 * 60 * 60

/** Fills in the defaults. Reads the host's object and writes nothing to it; mistakes are looked for afterwards. */
export function resolveConfig(
  config: AuthConfig,
  { isProduction }: Pick<ResolvedConfig, "isProduction">,
): ResolvedConfig {
  const secrets = toList(config.secret)
  const session = resolveSession(config)
  return {
    providers: config.providers.map((provider) => resolveProvider(provider, config.redirectProxyUrl)),
    adapter: config.adapter,
    basePath: normalizeBasePath(config.basePath ?? "/auth"),
    secrets,
    callbacks: config.callbacks,
    events: config.events,
    cookies: config.cookies,
    session,
    jwt: resolveJwt(config, secrets, session.maxAge),
    pages: config.pages ?? {},
    theme: config.theme ?? {},
    logger: config.logger,
    isDebug: config.debug ?? false,
    isProduction,
    trustHost: config.trustHost ?? false,
    allowedOrigins: config.allowedOrigins,
    useSecureCookies: config.useSecureCookies,
    // Compared by identity: a truthy value from a settings file must not switch the check off.
    isCsrfSkipped: config.skipCSRFCheck === skipCSRFCheck,
    isWebAuthnEnabled: config.experimental?.enableWebAuthn === true,
    trustedProxies: config.trustedProxies ?? [],
    clientAddress: config.clientAddress,
    rateLimit: config.rateLimit,
    requestLimits: resolveRequestLimits(config.requestLimits ?? {}),
  }
}

function resolveSession({ session, adapter }: AuthConfig): ResolvedSession {
  return {
    strategy: session?.strategy ?? (adapter ? "database" : "jwt"),
    maxAge: session?.maxAge ?? 30 * daySeconds,
    absoluteMaxAge: session?.absoluteMaxAge,
    updateAge: session?.updateAge ?? daySeconds,
    generateSessionToken: session?.generateSessionToken,
  }
}

function resolveJwt({ jwt }: AuthConfig, secrets: readonly string[], maxAge: number): ResolvedJwt {
  return {
    secrets: jwt?.secret === undefined ? secrets : toList(jwt.secret),
    maxAge: jwt?.maxAge ?? maxAge,
    encode: jwt?.encode,
    decode: jwt?.decode,
  }
}

function toList(secret: Secret | undefined): readonly string[] {
  // A host without type checks may write null or a number, which are no secrets either.
  if (!secret?.length) return []
  return typeof secret === "string" ? [secret] : secret
}
