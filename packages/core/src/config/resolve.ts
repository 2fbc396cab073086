import { maxSecrets } from "../crypto/keys.js"
import type { Feature, ServiceConfig, SourcePart } from "../features/feature.js"
import { resolveRequestLimits } from "../http/limits.js"
import { normalizeBasePath } from "../http/request.js"
import { findMethod } from "../methods/find-method.js"
import { type Optional, skipCSRFCheck, type Theme } from "../types/basics.js"
import type { AcceptedSource, AuthConfig, FeatureValue, PagesOptions } from "../types/config.js"
import type { Secret } from "../types/jwt.js"
import type { ResolvedJwt, ResolvedSession } from "../types/resolved.js"
import type { Mode } from "./mode.js"
import { isObject, options } from "./options.js"
import { resolveProvider } from "./providers.js"

const daySeconds = 24 * 60 * 60

/** Fills in the defaults. Never writes to the host's object. `validateConfig` validates the result. */
export function resolveConfig(
  config: AuthConfig,
  { isProduction, localHosts = null, authUrl }: Pick<Mode, "isProduction"> & Partial<Mode>,
): ServiceConfig {
  const secrets = toList(config.secret)
  const session = resolveSession(config)
  const providers = config.providers.map((provider) => resolveProvider(provider, config.redirectProxyUrl))
  const given = [...listFeatures(config), ...providers.flatMap((provider) => findMethod(provider)?.feature ?? [])]
  return {
    providers,
    adapter: config.adapter,
    features: given[0]?.frame.arrange(given) ?? [],
    basePath: normalizeBasePath(config.basePath ?? "/auth"),
    secrets,
    callbacks: config.callbacks,
    events: config.events,
    cookies: config.cookies,
    session,
    jwt: resolveJwt(config, secrets, session.maxAge),
    pages: resolvePages(config.pages ?? {}),
    theme: resolveTheme(config.theme ?? {}, given),
    logger: config.logger,
    isDebug: config.debug ?? false,
    isProduction,
    trustHost: config.trustHost ?? false,
    localHosts,
    authUrl,
    allowedOrigins: config.allowedOrigins,
    useSecureCookies: config.useSecureCookies,
    // Compared by identity: a truthy value in a settings file must not turn CSRF tokens off.
    isCsrfSkipped: config.skipCSRFCheck === skipCSRFCheck,
    trustedProxies: config.trustedProxies ?? [],
    clientAddress: config.clientAddress,
    clearCacheOnSignOut: config.clearCacheOnSignOut ?? true,
    freshFor: config.freshFor ?? 600,
    securityNotices: config.securityNotices ?? true,
    rateLimit: config.rateLimit,
    requestLimits: resolveRequestLimits(config.requestLimits ?? {}),
  }
}

const featureOptions = Object.entries(options).flatMap(([name, { isFeature }]) => (isFeature ? [name] : []))

/** The features of the options. */
function listFeatures(config: AuthConfig): readonly Feature[] {
  const values = [...featureOptions.map((name): unknown => Reflect.get(config, name)), config.session?.track]
  return [...values.flatMap((value) => (isFeatureValue(value) ? toFeature(value) : [])), ...listAccepting(config)]
}

/** The readers of sessions of other libraries are one feature, which the first of them makes. */
function listAccepting({ session }: AuthConfig): readonly Feature[] {
  const accept = session?.accept
  const [first] = accept ?? []
  // as: `createSource` makes them.
  return accept && first ? [(first as AcceptedSource & SourcePart).join(accept)] : []
}

function isFeatureValue(value: unknown): value is FeatureValue {
  return isObject(value) && "feature" in value
}

/** What the value of an option is. Its public type does not show it. */
function toFeature(value: FeatureValue): Feature {
  return value as FeatureValue & Feature // as: only the factories of features make such values.
}

function resolveTheme(theme: Theme, features: readonly Feature[]): Theme {
  if (theme.name?.trim()) return theme
  const name = features.find(({ siteName }) => siteName !== undefined)?.siteName
  return name === undefined ? theme : { ...theme, name }
}

/** Null means the built-in page. */
function resolvePages(pages: Optional<PagesOptions>): Partial<PagesOptions> {
  const own = Object.entries(pages).filter(([, url]: readonly [string, unknown]) => url !== null && url !== undefined)
  return Object.fromEntries(own)
}

function resolveSession({ session, adapter }: AuthConfig): ResolvedSession {
  const maxAge = session?.maxAge ?? 30 * daySeconds
  return {
    strategy: session?.strategy ?? (adapter ? "database" : "jwt"),
    maxAge,
    absoluteMaxAge: session?.absoluteMaxAge,
    // A session that is over within a day would never be extended, however often it is used.
    updateAge: session?.updateAge ?? (maxAge > daySeconds ? daySeconds : maxAge / 10),
    generateSessionToken: session?.generateSessionToken,
    canTrack: session?.track !== false,
  }
}

function resolveJwt({ jwt, secret }: AuthConfig, secrets: readonly string[], maxAge: number): ResolvedJwt {
  return {
    secrets: jwt?.secret === undefined ? secrets : toList(jwt.secret),
    secret: jwt?.secret ?? secret,
    maxAge: jwt?.maxAge ?? maxAge,
    encode: jwt?.encode,
    decode: jwt?.decode,
  }
}

function toList(secret: Secret | undefined): readonly string[] {
  // JavaScript hosts may pass null or a number.
  if (!secret?.length) return []
  const secrets = typeof secret === "string" ? [secret] : secret
  return secrets.some(endsWithBlank) ? withTrimmed(secrets) : secrets
}

/** Whether a secret ends as lines of files do: a process that reads it elsewhere has another. */
export function endsWithBlank(secret: unknown): boolean {
  return typeof secret === "string" && /\s$/.test(secret)
}

/** Also accepts what processes without the line end seal. The first secret stays: other code may use it as it is. */
function withTrimmed(secrets: readonly string[]): readonly string[] {
  const trimmed = secrets.filter(endsWithBlank).map((secret) => secret.trimEnd())
  return [...secrets, ...trimmed].slice(0, Math.max(maxSecrets, secrets.length))
}
