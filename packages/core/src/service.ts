import type { ProviderType } from "@latchkey/types"
import type { Accounts } from "./account/accounts.js"
import { type ActionNeeds, createPageCache, createRecentFailures } from "./actions/context.js"
import { referenceCookie } from "./actions/failure.js"
import { type CallbackUrls, createCallbackUrls } from "./checks/callback-url.js"
import { createCsrf, skippedCsrf } from "./checks/csrf.js"
import { isOAuth } from "./config/provider.js"
import { resolveConfig } from "./config/resolve.js"
import { findMistypedOptions, validateConfig } from "./config/validate.js"
import { findWeakness, minSecretLength } from "./crypto/keys.js"
import { randomHex } from "./crypto/random.js"
import { createSealer } from "./crypto/seal.js"
import { type AuthError, toError } from "./errors/auth-error.js"
import { InvalidConfiguration, MissingAdapter } from "./errors/errors.js"
import { createPermission, type HostCallbacks, type Permission, resolveCallbacks } from "./host/callbacks.js"
import { createEvents, type Events } from "./host/events.js"
import { createStore, type Store } from "./host/store.js"
import { type CookieScheme, checkMaxAgeSeconds, type ResolvedCookies, resolveCookies } from "./http/cookie-options.js"
import { defaultRequestLimits } from "./http/limits.js"
import { type AllowedOrigins, createAllowedOrigins } from "./http/origin.js"
import type { AuthRequest } from "./http/request.js"
import { createLog, type Log } from "./log/log.js"
import type { SignInMethod } from "./methods/method.js"
import type { Limits } from "./rate-limit/limiter.js"
import { lazy } from "./runtime/cache.js"
import { isProduction } from "./runtime/environment.js"
import { systemClock } from "./runtime/promise.js"
import { databaseSessions } from "./session/database.js"
import { jwtSessions } from "./session/jwt.js"
import { createLifetime, type Sessions } from "./session/session.js"
import type { AuthConfig, RequestLimits } from "./types/config.js"
import type { CookieOption } from "./types/http.js"
import type { ResolvedConfig, ResolvedProvider } from "./types/resolved.js"

/** A configuration made ready to answer requests. Built once for each configuration object, and never written to. */
export interface Service {
  readonly basePath: string
  readonly log: Log
  readonly isProduction: boolean
  readonly requestLimits: RequestLimits
  /** What keeps the configuration from working; null when nothing does. */
  readonly mistake: AuthError | null
  /** Null: every host that is trusted. */
  readonly allowedOrigins: AllowedOrigins | null
  /** What also works while there is a mistake. */
  readonly surface: ServiceSurface
  /** The collaborators of every action. Cookies differ between http and https, hence one set for each. */
  needsFor(url: URL): ActionNeeds
}

type ServiceSurface = Pick<
  ActionNeeds,
  "pages" | "theme" | "providers" | "stylesheet" | "actionUrl" | "failures" | "pageHeaders" | "signInPrints"
>

const services = new WeakMap<AuthConfig, Service>()

/** The service of a configuration object: a host that hands over the same object again pays nothing. */
export function getService(config: AuthConfig): Service {
  const known = services.get(config)
  if (known) return known
  const service = createService(config)
  services.set(config, service)
  return service
}

function createService(config: AuthConfig): Service {
  const { resolved, mistake } = resolve(config)
  const log = createLog(resolved.logger, {
    isDebug: resolved.isDebug,
    clock: systemClock,
    providerIds: new Set(resolved.providers.map(({ id }) => id)),
  })
  const surface = createSurface(resolved)
  // Of values that cannot work nothing more is to be said; some are not even of their type.
  if (mistake === null) warnAbout(resolved, log)
  const allowedOrigins =
    mistake === null && resolved.allowedOrigins ? createAllowedOrigins(resolved.allowedOrigins) : null
  const shared = { surface, log, allowedOrigins }
  const plain = lazy(() => createNeeds(resolved, { ...shared, isSecure: false }))
  const secure = lazy(() => createNeeds(resolved, { ...shared, isSecure: true }))
  return Object.freeze({
    basePath: resolved.basePath,
    log,
    isProduction: resolved.isProduction,
    // Limits that cannot work limit nothing.
    requestLimits: mistake === null ? resolved.requestLimits : defaultRequestLimits,
    mistake,
    allowedOrigins,
    surface,
    needsFor: ({ protocol }: URL) => ((resolved.useSecureCookies ?? protocol === "https:") ? secure() : plain()),
  })
}

function createSurface(config: ResolvedConfig): ServiceSurface {
  const { theme, pages, basePath } = config
  const providers = new Map(config.providers.map((provider) => [provider.id, provider]))
  return {
    pages,
    theme,
    providers,
    stylesheet: lazy(async () => {
      const { createStylesheet } = await import("./actions/assets.js")
      return createStylesheet(theme, providers.values())
    }),
    actionUrl: ({ url }: AuthRequest, path: string) => `${url.origin}${basePath}/${path}`,
    failures: createRecentFailures(config),
    pageHeaders: lazy(async () => {
      const { createPageHeaders } = await import("./actions/page.js")
      return createPageHeaders(theme, config.providers)
    }),
    signInPrints: createPageCache(),
  }
}

interface Setting extends CookieScheme {
  readonly surface: ServiceSurface
  readonly log: Log
  readonly allowedOrigins: AllowedOrigins | null
}

function createNeeds(config: ResolvedConfig, { surface, log, allowedOrigins, isSecure }: Setting): ActionNeeds {
  if (config.isProduction && !isSecure) log.warnOnce("insecure-url")
  const cookies = resolveCookies(config.cookies, { isSecure })
  const callbacks = resolveCallbacks(config.callbacks)
  const events = createEvents(config.events, log)
  const store = config.adapter ? createStore(config.adapter, log) : null
  const permission = createPermission(callbacks)
  const callbackUrls = createCallbackUrls(cookies.callbackUrl, callbacks, log)
  const limits = deferredLimits(lazy(async () => (await import("./rate-limit/limiter.js")).chooseLimits(config, log)))
  const sessions = createSessions(config, { cookie: cookies.sessionToken, store, callbacks, events, log })
  return Object.freeze({
    ...surface,
    log,
    events,
    permission,
    callbackUrls,
    limits,
    csrf: config.isCsrfSkipped ? skippedCsrf(cookies.csrfToken) : createCsrf(cookies.csrfToken, config.secrets),
    sessions,
    accounts: deferredAccounts(lazy(() => loadAccounts(config, { store, log }))),
    methodOf: createMethods(config, {
      cookies,
      store,
      sessions,
      permission,
      callbackUrls,
      log,
      limits,
      allowedOrigins,
      actionUrl: surface.actionUrl,
    }),
    referenceCookie: referenceCookie({ isSecure }),
  })
}

async function loadAccounts(
  { providers }: ResolvedConfig,
  { store, log }: { readonly store: Store | null; readonly log: Log },
): Promise<Accounts> {
  const { createAccounts } = await import("./account/accounts.js")
  return createAccounts({
    store,
    log,
    isPasskeyOffered: providers.some(({ type }) => type === "webauthn"),
    isPasswordOffered: providers.some(({ type }) => type === "credentials"),
  })
}

/** A configuration with its defaults filled in, and what keeps it from working. */
interface Resolution {
  readonly resolved: ResolvedConfig
  readonly mistake: AuthError | null
}

/** Factories and odd values may throw while they are read; the service then answers that, and the log says why. */
function resolve(config: AuthConfig): Resolution {
  const mistyped = findMistypedOptions(config)
  const [first] = mistyped
  if (!first) return resolveTyped(config)
  const others = Object.entries(config).filter(([name]) => !mistyped.some(({ option }) => option === name))
  // Providers may refer to what is left out here; without it they would be judged by something else.
  const readable = { ...Object.fromEntries(others), providers: [] }
  return { resolved: toReadable(readable), mistake: new InvalidConfiguration(first.sentence) }
}

function resolveTyped(config: AuthConfig): Resolution {
  try {
    const resolved = toResolved(config)
    return { resolved, mistake: validateConfig(resolved) }
  } catch (error) {
    const cause = toError(error)
    const mistake = new InvalidConfiguration(`providers: cannot be read: ${cause.message}`, cause)
    return { resolved: toReadable(config), mistake }
  }
}

/** As much of a configuration as can be read. */
function toReadable({ basePath, ...config }: AuthConfig): ResolvedConfig {
  const place = basePath === undefined ? {} : { basePath }
  try {
    return toResolved({ ...config, ...place, providers: [] })
  } catch {
    // The mistake that is shown is the first one; what is needed to show it is where the service is mounted.
    return toResolved({ ...place, providers: [] })
  }
}

function toResolved(config: AuthConfig): ResolvedConfig {
  return resolveConfig(config, { isProduction: isProduction() })
}

interface MethodNeeds {
  readonly cookies: ResolvedCookies
  readonly store: Store | null
  readonly sessions: Sessions
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly limits: Limits
  readonly log: Log
  readonly actionUrl: (request: AuthRequest, path: string) => string
  readonly allowedOrigins: AllowedOrigins | null
}

/** The methods by provider type. A new method is a file and a line here; its code is loaded when it is first used. */
function createMethods(
  config: ResolvedConfig,
  needs: MethodNeeds,
): (provider: ResolvedProvider) => Promise<SignInMethod> {
  const oauth = lazy(() => loadOAuth(config, needs))
  const loaders: Readonly<Record<ProviderType, () => Promise<SignInMethod>>> = {
    oauth,
    oidc: oauth,
    email: lazy(() => loadEmail(config, needs)),
    credentials: lazy(() => loadCredentials(needs)),
    webauthn: lazy(() => loadWebAuthn(config, needs)),
  }
  return ({ type }) => loaders[type]()
}

async function loadOAuth({ secrets, requestLimits }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const [{ oauthMethod }, { createProviderEndpoints }, { createFlows }, { chooseReplayGuard }] = await Promise.all([
    import("./methods/oauth/steps.js"),
    import("./oauth/endpoints.js"),
    import("./checks/oauth-flow.js"),
    import("./checks/replay.js"),
  ])
  const sealer = createSealer(secrets, systemClock)
  const flows = createFlows({
    cookies: needs.cookies,
    sealer,
    replayGuard: chooseReplayGuard(needs.store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxFlows: requestLimits.flows,
  })
  return oauthMethod({ ...needs, flows, endpoints: createProviderEndpoints({ log: needs.log, clock: systemClock }) })
}

async function loadEmail({ secrets, theme }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const { emailMethod } = await import("./methods/email/steps.js")
  const { store } = needs
  if (!store) throw new MissingAdapter("adapter: an email provider needs one")
  return emailMethod({ ...needs, store, secrets, theme, clock: systemClock })
}

async function loadCredentials({ actionUrl, limits }: MethodNeeds): Promise<SignInMethod> {
  const { credentialsMethod } = await import("./methods/credentials/steps.js")
  return credentialsMethod({ limits, signInPage: (request) => actionUrl(request, "signin") })
}

async function loadWebAuthn({ secrets, requestLimits }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const [{ webauthnMethod }, { loadLibrary }, { chooseReplayGuard }] = await Promise.all([
    import("./methods/webauthn/steps.js"),
    import("./methods/webauthn/library.js"),
    import("./checks/replay.js"),
  ])
  const { store, sessions, cookies, actionUrl } = needs
  if (!store) throw new MissingAdapter("adapter: a WebAuthn provider needs one")
  const challenges = {
    cookie: cookies.webauthnChallenge,
    sealer: createSealer(secrets, systemClock),
    replayGuard: chooseReplayGuard(needs.store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxPending: requestLimits.passkeyChallenges,
  }
  const signInPage = (request: AuthRequest) => actionUrl(request, "signin")
  return webauthnMethod({ store, sessions, challenges, secrets, library: loadLibrary, signInPage })
}

interface SessionsNeeds {
  readonly cookie: CookieOption
  readonly store: Store | null
  readonly callbacks: HostCallbacks
  readonly events: Events
  readonly log: Log
}

/** The one place where the strategy is chosen. */
function createSessions({ session, jwt, requestLimits }: ResolvedConfig, needs: SessionsNeeds): Sessions {
  const { store } = needs
  const { updateAge, generateSessionToken = () => randomHex(32) } = session
  const lifetime = createLifetime({ ...session, clock: systemClock })
  const deps = { ...needs, lifetime, maxChunks: requestLimits.sessionChunks }
  if (session.strategy === "database" && store) {
    return databaseSessions({ store, updateAge, generateSessionToken }, deps)
  }
  const getUser = store?.has("getUser") ? async (id: string) => store.getUser(id) : undefined
  return jwtSessions({ ...jwt, getUser }, deps)
}

/** Limits whose code is loaded with the first request that is counted. */
function deferredLimits(load: () => Promise<Limits>): Limits {
  return {
    consume: async (action, request) => (await load()).consume(action, request),
    tryPassword: async (attempt, request) => (await load()).tryPassword(attempt, request),
    tryToken: async (attempt, request) => (await load()).tryToken(attempt, request),
    allowMail: async (address, request) => (await load()).allowMail(address, request),
  }
}

/** Accounts whose code is loaded with the first sign-in. */
function deferredAccounts(load: () => Promise<Accounts>): Accounts {
  return {
    present: async (proof) => (await load()).present(proof),
    recognise: async (presented, signedIn, events) => (await load()).recognise(presented, signedIn, events),
  }
}

/** Switches that weaken the service are said once in the log, so that nobody finds them out from an incident. */
export function warnAbout(config: ResolvedConfig, log: Log): void {
  const { providers, secrets, jwt, isDebug, isWebAuthnEnabled, isCsrfSkipped } = config
  const oauth = providers.filter(isOAuth)
  if (isDebug) log.warnOnce("debug-enabled")
  if (isWebAuthnEnabled) log.warnOnce("experimental-webauthn")
  if (isCsrfSkipped) log.warnOnce("csrf-disabled")
  const weak = [...secrets, ...jwt.secrets].filter((secret) => findWeakness(secret) !== null)
  if (weak.some((secret) => secret.length < minSecretLength)) log.warnOnce("short-secret")
  if (weak.some((secret) => secret.length >= minSecretLength)) log.warnOnce("weak-secret")
  if (oauth.some(({ checks }) => checks.includes("none"))) log.warnOnce("checks-none")
  if (oauth.some(({ allowDangerousEmailAccountLinking }) => allowDangerousEmailAccountLinking)) {
    log.warnOnce("email-linking-enabled")
    if (config.adapter && !config.adapter.isEmailVerified) log.warnOnce("email-linking-unproven")
  }
}
