import { findMode, type Mode } from "./config/mode.js"
import { options } from "./config/options.js"
import type { ValidateProvider } from "./config/providers.js"
import { resolveConfig } from "./config/resolve.js"
import { assertConfig, findMistypedOptions, validateConfig, warnAbout } from "./config/validate.js"
import { randomHex } from "./crypto/random.js"
import { type AuthError, toError } from "./errors/auth-error.js"
import { InvalidConfiguration } from "./errors/errors.js"
import { referenceCookie } from "./features/failure.js"
import {
  type ActionContext,
  createPageCache,
  createRecentFailures,
  type Feature,
  type FeatureRoutes,
  type PageContext,
  type Route,
  type SchemeAndHost,
  type ServedBy,
  type ServiceConfig,
  type Slots,
} from "./features/feature.js"
import { type HostCallbacks, resolveCallbacks } from "./host/callbacks.js"
import { createEvents } from "./host/events.js"
import { createStore, type Store } from "./host/store.js"
import { isLocalHost } from "./http/client-address.js"
import { defaultRequestLimits, findCookieBudget } from "./http/limits.js"
import { type AllowedOrigins, createAllowedOrigins } from "./http/origin.js"
import { resolveCookies, toFrameAttributes } from "./http/own-cookies.js"
import type { AuthRequest } from "./http/request.js"
import { createLog, type Log } from "./log/log.js"
import { findMethod, getMethod } from "./methods/find-method.js"
import type { SignInMethod } from "./methods/method.js"
import { validateOAuth } from "./methods/oauth/oauth.js"
import type { SignInSteps } from "./methods/steps.js"
import type { Limits } from "./rate-limit/limiter.js"
import { createObjectCache, lazy } from "./runtime/cache.js"
import { isPlain } from "./runtime/merge.js"
import { andThen, systemClock } from "./runtime/promise.js"
import { jwtSessions, keepFacts } from "./session/jwt.js"
import { createLifetime, type SessionDeps, type Sessions } from "./session/session.js"
import type { TrackingDeps } from "./session/tracking.js"
import type { AdapterUser } from "./types/adapter.js"
import type { Awaitable } from "./types/basics.js"
import type { AuthConfig, RequestLimits } from "./types/config.js"
import type { WarningCode } from "./types/logger.js"
import type { LocalHosts, ResolvedConfig } from "./types/resolved.js"

/** A resolved configuration with its collaborators. Built once for each configuration object, and frozen. */
export interface Service extends ServedBy {
  readonly parts: Parts
  readonly log: Log
  readonly isProduction: boolean
  /** The hosts that are trusted while the app configures none. Null trusts every host, or those of `allowedOrigins`. */
  readonly localHosts: LocalHosts | null
  readonly requestLimits: RequestLimits
  readonly features: readonly Feature[]
  readonly slots: Slots
  /** The routes of the features that are switched on. */
  readonly featureRoutes: FeatureRoutes
  /** Characters that all cookies of the service may have in a request. */
  readonly cookieBudget: number
  /** Null allows every trusted host. */
  readonly allowedOrigins: AllowedOrigins | null
  /** Available while the configuration is invalid, too. */
  readonly pageContext: PageContext
  /** The collaborators of the actions: one set for http and one for https, because their cookies differ. */
  contextFor(url: SchemeAndHost): ActionContext
}

/**
 * The code that a service imports when it is needed. Passed in, because a bundler gives an app all that a file imports: what
 * only reads sessions has parts without actions and pages.
 */
export interface Parts {
  /** @throws AuthError if the action has no such method */
  getRoute(request: Pick<AuthRequest, "route" | "method">, service: Pick<Service, "features" | "featureRoutes">): Route
  /** What checks a request that changes something. */
  createChecks(
    config: ResolvedConfig,
    shared: Pick<ActionContext, "cookies" | "log"> & { readonly callbacks: HostCallbacks },
  ): Pick<ActionContext, "permission" | "callbackUrls" | "csrf">
  loadBodyReader(): Awaitable<Pick<typeof import("./http/body.js"), "readBody">>
  loadHead(): Promise<Pick<typeof import("./actions/head.js"), "answerHead">>
  loadRefusals(): Promise<
    Pick<
      typeof import("./actions/refuse.js"),
      "refuseAction" | "refuseConfiguration" | "refuseUnread" | "tooManyRequests"
    >
  >
  loadFitReply(): Promise<Pick<typeof import("./features/fit-reply.js"), "fitReply">>
  loadCompleted(): Promise<Pick<typeof import("./features/completed.js"), "orCompleted">>
  loadPage(): Promise<
    Pick<typeof import("./features/page.js"), "checkAddress" | "createPageHeaders" | "createStylesheet">
  >
  loadStoredSessions(): Promise<Pick<typeof import("./session/database.js"), "databaseSessions">>
  loadLimits(config: ResolvedConfig, log: Log): Promise<Limits>
  loadSteps(method: SignInMethod, context: ActionContext): Promise<SignInSteps>
  /** Checks the options that only the service that signs users in needs. */
  readonly validateProvider?: ValidateProvider
  /** Sentences about options without an effect, one of `option-unknown` and `option-ineffective` each. Not in production. */
  listUnusedOptions?(config: AuthConfig): Promise<readonly (readonly [WarningCode, string])[]>
}

interface BuiltService {
  readonly service: Service
  /** Whether the configuration is what it was when the service was built. */
  readonly isCurrent: () => boolean
}

/** Returns the service of a configuration object. Passing the same object again costs a few comparisons. */
export function createServices(parts: Parts): (config: AuthConfig) => Service {
  const services = createObjectCache<BuiltService>()
  return function getService(config) {
    // Apps in plain JavaScript may pass anything.
    const built = typeof config === "object" && config !== null ? services.get(config) : undefined
    if (built?.isCurrent()) return built.service
    assertConfig(config)
    const service = createService(config, parts)
    services.set(config, { service, isCurrent: watchConfig(config) })
    return service
  }
}

/**
 * Returns a function that tells whether a configuration is unchanged: an app that writes to its object, such as for each
 * tenant, must not be served what it held before. Notices new values of the options and of the list of providers, but
 * nothing inside of them. Options with a getter are left out: it may return another object each time, or throw.
 */
export function watchConfig(config: { readonly providers?: unknown }): () => boolean {
  const isSameValue = hasOnlyFields(config) ? watchFields(config) : watchOptions(config)
  const list: unknown = hasGetter(config, "providers") ? undefined : config.providers
  if (!Array.isArray(list) || list.length === 0) return isSameValue
  const providers: readonly unknown[] = [...list]
  return () => {
    if (!isSameValue()) return false
    if (list.length !== providers.length) return false
    for (let n = 0; n < providers.length; n++) if (list[n] !== providers[n]) return false
    return true
  }
}

function hasGetter(config: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(config, name)?.get !== undefined
}

/** Whether a `for...in` loop sees every option. It does not see those of a class. */
function hasOnlyFields(config: object): boolean {
  return isPlain(config) && Object.keys(config).length === Reflect.ownKeys(config).length
}

/** A `for...in` loop over a plain object takes a tenth of the time of reading each option by its name. */
function watchFields(config: object): () => boolean {
  const fields = config as Readonly<Record<string, unknown>> // Read below by its own names.
  const names = Object.keys(config)
  const isWatched = names.map((name) => Object.hasOwn(options, name) && !hasGetter(config, name))
  const values = names.map((name, n) => (isWatched[n] ? fields[name] : undefined))
  return () => {
    let n = 0
    for (const name in fields) {
      if (name !== names[n] || (isWatched[n] && fields[name] !== values[n])) return false
      n++
    }
    return n === names.length
  }
}

function watchOptions(config: object): () => boolean {
  const watched = Object.keys(options)
    .filter((name) => !hasGetter(config, name))
    .map((name) => [name, Reflect.get(config, name) as unknown] as const)
  return () => watched.every(([name, value]) => Reflect.get(config, name) === value)
}

function createService(config: AuthConfig, parts: Parts): Service {
  const mode = findMode(config)
  const { resolved, mistake } = resolveAndValidate(config, mode, parts.validateProvider)
  const providers = new Map(resolved.providers.map((provider) => [provider.id, provider]))
  const log = createLog(resolved.logger, { isDebug: resolved.isDebug, clock: systemClock, providerIds: providers })
  const isValid = mistake === null
  // Invalid values would produce misleading warnings; some are not even of the right type.
  if (isValid) warnAbout(resolved, log)
  // A getter of the host may throw.
  if (isValid && !resolved.isProduction) warnAboutUnusedOptions(config, resolved, { parts, log }).catch(() => {})
  const allowedOrigins = isValid && resolved.allowedOrigins ? createAllowedOrigins(resolved.allowedOrigins) : null
  const frame = resolved.features[0]?.frame
  const slots = frame?.fillSlots(resolved.features) ?? {}
  const pageContext = createPageContext(resolved, { providers, slots, log, parts }, mode)
  const shared = { pageContext, slots, log, allowedOrigins, parts }
  const contexts = new Map<boolean, ActionContext>()
  const requestLimits = isValid ? resolved.requestLimits : defaultRequestLimits
  return Object.freeze({
    parts,
    basePath: resolved.basePath,
    log,
    isProduction: resolved.isProduction,
    localHosts: resolved.localHosts,
    requestLimits,
    cookieBudget: findCookieBudget(requestLimits),
    features: resolved.features,
    slots,
    featureRoutes: frame?.joinRoutes(resolved.features) ?? {},
    mistake,
    allowedOrigins,
    pageContext,
    contextFor(url: SchemeAndHost) {
      const isSecure = resolved.useSecureCookies ?? url.protocol === "https:"
      if (!isSecure && resolved.isProduction) warnAboutScheme(url.hostname, log)
      const known = contexts.get(isSecure)
      if (known) return known
      const context = createContext(resolved, { ...shared, isSecure })
      contexts.set(isSecure, context)
      return context
    },
  })
}

/** A configuration with its defaults, and the first mistake in it. */
interface Resolution {
  readonly resolved: ServiceConfig
  readonly mistake: AuthError | null
}

/** The first mistake in a configuration, without a request. Null if there is none. */
export function findMistake(config: AuthConfig): AuthError | null {
  assertConfig(config)
  return resolveAndValidate(config, findMode(config), validateOAuth).mistake
}

/** Provider factories and getters can throw while the configuration is read. That is a mistake like any other. */
function resolveAndValidate(config: AuthConfig, mode: Mode, validateProvider?: ValidateProvider): Resolution {
  const mistyped = findMistypedOptions(config)
  const [first] = mistyped
  if (first) {
    const others = Object.entries(config).filter(([name]) => !mistyped.some(({ option }) => option === name))
    // Providers may depend on an option that is left out here.
    const readable = { ...Object.fromEntries(others), providers: [] }
    return { resolved: resolveReadable(readable, mode), mistake: new InvalidConfiguration(first.sentence) }
  }
  try {
    const resolved = resolveConfig(config, mode)
    return { resolved, mistake: validateConfig(resolved, validateProvider) }
  } catch (error) {
    const cause = toError(error)
    const mistake = new InvalidConfiguration(`providers: cannot be read: ${cause.message}`, cause)
    return { resolved: resolveReadable(config, mode), mistake }
  }
}

/** As much of an invalid configuration as can be read. The error page needs the base path above all. */
function resolveReadable({ basePath, ...config }: AuthConfig, mode: Mode): ServiceConfig {
  const place = basePath === undefined ? {} : { basePath }
  try {
    return resolveConfig({ ...config, ...place, providers: [] }, mode)
  } catch {
    // The first mistake is the one that is reported.
    return resolveConfig({ ...place, providers: [] }, mode)
  }
}

/** On this machine, http is as good as https. */
function warnAboutScheme(hostname: string | undefined, log: Log): void {
  if (hostname !== undefined && !isLocalHost(hostname, "loopback")) log.warnOnce("insecure-url")
}

/** Logs them later: they are rare, and no request depends on it. */
async function warnAboutUnusedOptions(
  config: AuthConfig,
  { features }: ServiceConfig,
  { parts, log }: Pick<Service, "parts" | "log">,
): Promise<void> {
  for (const [code, sentence] of (await parts.listUnusedOptions?.(config)) ?? []) log.warnOnce(code, sentence)
  for (const feature of features)
    for (const sentence of (await feature.listIneffective?.()) ?? []) log.warnOnce("option-ineffective", sentence)
}

function createPageContext(
  config: ResolvedConfig,
  { providers, slots, log, parts }: Pick<ActionContext, "providers"> & Pick<Service, "slots" | "log" | "parts">,
  address: Mode,
): PageContext {
  const { theme, pages, basePath } = config
  const loadPage = lazy(parts.loadPage)
  return {
    pages,
    theme,
    providers,
    stylesheet: lazy(async () => {
      const { createStylesheet } = await loadPage()
      return createStylesheet(theme, config.providers)
    }),
    pageHeaders: lazy(async () => {
      const { createPageHeaders } = await loadPage()
      return createPageHeaders(theme, config.providers)
    }),
    pageCache: createPageCache(),
    findLocale: (request) => slots.findLocale?.(request, log.error),
    checkAddress: (request) => andThen(loadPage(), ({ checkAddress }) => checkAddress(request, address, log)),
    recentFailures: createRecentFailures(config),
    actionUrl: ({ url }, path) => `${url.origin}${basePath}/${path}`,
  }
}

interface SharedParts extends Pick<Service, "slots" | "log" | "allowedOrigins" | "parts"> {
  readonly pageContext: PageContext
  /** Whether cookies are sent over https only. */
  readonly isSecure: boolean
}

function createContext(config: ServiceConfig, shared: SharedParts): ActionContext {
  const { pageContext, slots, log, allowedOrigins, isSecure, parts } = shared
  const cookies = resolveCookies(config.cookies, { isSecure })
  const scheme = { isSecure, frame: toFrameAttributes(cookies) }
  const callbacks = config.features.reduce(
    (given, feature) => feature.wrapCallbacks?.(given, scheme, config) ?? given,
    resolveCallbacks(config.callbacks),
  )
  const events = createEvents(config.events, log)
  const store = config.adapter ? createStore(config.adapter, log) : null
  const admits = async (user: AdapterUser) => (await slots.gate?.admitsAdopted?.(user, context)) ?? true
  const sessionDeps = { cookie: cookies.sessionToken, callbacks, events, log, admits }
  // A spread in the middle of an object makes each of the fields after it slow.
  const { permission, callbackUrls, csrf } = parts.createChecks(config, { cookies, callbacks, log })
  const context: ActionContext = Object.freeze({
    ...pageContext,
    config,
    features: config.features,
    slots,
    log,
    events,
    permission,
    callbackUrls,
    csrf,
    limits: createLimits(config, log, parts),
    sessions: createSessions(config, store, slots, { ...sessionDeps, parts }),
    sessionsOver: (other: Store | null) => createSessions(config, other, {}, { ...sessionDeps, parts }),
    store,
    findProvider: createProviderFinder(() => context),
    loadSteps: createStepsLoader(() => context, parts),
    cookies,
    cookieRules: { ...scheme, cookies, cookieBudget: findCookieBudget(config.requestLimits) },
    referenceCookie: referenceCookie(scheme),
    allowedOrigins,
    accountCredentials: new Set(config.providers.map((each) => findMethod(each)?.accountCredential)),
    secrets: config.secrets,
  })
  return context
}

function createProviderFinder(getContext: () => ActionContext): ActionContext["findProvider"] {
  return (id) => {
    const context = getContext()
    const known = context.providers.get(id ?? "")
    return known || !id ? known : context.features[0]?.frame.findProvider(id, context)
  }
}

/** Imports the code of each sign-in method once, when it is first used. */
function createStepsLoader(getContext: () => ActionContext, { loadSteps }: Parts): ActionContext["loadSteps"] {
  const loaders = new Map<SignInMethod, () => Awaitable<SignInSteps>>()
  return (provider) => {
    const method = getMethod(provider)
    const load = loaders.get(method) ?? lazy(() => loadSteps(method, getContext()))
    loaders.set(method, load)
    return load()
  }
}

/** Chooses the session strategy. The code of stored sessions is imported with the first request that needs it. */
function createSessions(
  config: ResolvedConfig,
  store: Store | null,
  { trackSessions }: Slots,
  {
    parts,
    ...shared
  }: Omit<SessionDeps, "lifetime" | "maxChunks"> & Pick<TrackingDeps, "admits"> & Pick<Service, "parts">,
): Sessions {
  const { session, jwt, requestLimits } = config
  const { updateAge, generateSessionToken = () => randomHex(32) } = session
  const lifetime = createLifetime({ ...session, clock: systemClock })
  const deps = { ...shared, lifetime, maxChunks: requestLimits.sessionChunks }
  const rowOptions = { updateAge, generateSessionToken }
  const getUser = store?.has("getUser") ? async (id: string) => store.getUser(id) : undefined
  const tokenOptions = { ...jwt, getUser }
  // Without a store the configuration is refused.
  if (store && trackSessions) return trackSessions({ ...deps, ...rowOptions, tokenOptions, store, config })
  if (session.strategy === "database" && store) {
    const load = lazy(async () => (await parts.loadStoredSessions()).databaseSessions({ store, ...rowOptions }, deps))
    return lazyMethods<Sessions>(load, ["start", "check", "findUser", "end", "renew"])
  }
  return jwtSessions(tokenOptions, { ...deps, callbacks: { ...deps.callbacks, jwt: keepFacts(deps.callbacks.jwt) } })
}

/** Imports the code of the rate limits with the first request that is counted. */
function createLimits(config: ResolvedConfig, log: Log, { loadLimits }: Parts): Limits {
  const load = lazy(() => loadLimits(config, log))
  return lazyMethods<Limits>(load, [
    "consume",
    "tryMove",
    "tryPassword",
    "tryToken",
    "tryUser",
    "allowMail",
    "allowNotice",
  ])
}

/** An object whose code is imported with the first call of one of its methods, which all return promises. */
function lazyMethods<Target extends object>(load: () => Awaitable<Target>, names: readonly (keyof Target)[]): Target {
  const methods: Partial<Record<keyof Target, unknown>> = {}
  for (const name of names)
    methods[name] = (...given: readonly unknown[]) =>
      // as: only methods are named.
      andThen(load(), (loaded) => (loaded[name] as (...given: readonly unknown[]) => unknown)(...given))
  return methods as Target // as: has a method for each name.
}
