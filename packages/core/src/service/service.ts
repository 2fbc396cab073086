import type { Accounts } from "../account/accounts.js"
import type { ActionNeeds } from "../actions/needs.js"
import { createRecentFailures } from "../actions/recent-failures.js"
import { referenceCookie } from "../actions/reference.js"
import { createSignInPrints } from "../actions/sign-in-prints.js"
import { createCallbackUrls } from "../checks/callback-url.js"
import { createCsrf, skippedCsrf } from "../checks/csrf.js"
import { type CookieScheme, resolveCookies } from "../config/cookies.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { AuthConfig } from "../contract/config.js"
import type { RequestLimits } from "../contract/request-limits.js"
import type { AuthError } from "../errors/auth-error.js"
import { resolveCallbacks } from "../host/callbacks.js"
import { createEvents } from "../host/events.js"
import { createPermission } from "../host/permission.js"
import { createStore, type Store } from "../host/store.js"
import { createLog, type Log } from "../log/log.js"
import { type AllowedOrigins, createAllowedOrigins } from "../web/allowed-origins.js"
import { once } from "../web/once.js"
import { defaultRequestLimits } from "../web/request-limits.js"
import type { Visit } from "../web/visit.js"
import { deferredAccounts, deferredLimits } from "./deferred.js"
import { createMethods } from "./methods.js"
import { resolve } from "./resolve.js"
import { createSessions } from "./sessions.js"
import { systemClock } from "./system-clock.js"
import { warnAbout } from "./warn-about.js"

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
  const plain = once(() => createNeeds(resolved, { ...shared, isSecure: false }))
  const secure = once(() => createNeeds(resolved, { ...shared, isSecure: true }))
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
    stylesheet: once(async () => {
      const { createStylesheet } = await import("../actions/create-stylesheet.js")
      return createStylesheet(theme, providers.values())
    }),
    actionUrl: ({ url }: Visit, path: string) => `${url.origin}${basePath}/${path}`,
    failures: createRecentFailures(config),
    pageHeaders: once(async () => {
      const { createPageHeaders } = await import("../actions/page.js")
      return createPageHeaders(theme, config.providers)
    }),
    signInPrints: createSignInPrints(),
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
  const limits = deferredLimits(once(async () => (await import("./limits.js")).chooseLimits(config, log)))
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
    accounts: deferredAccounts(once(() => loadAccounts(config, { store, log }))),
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
  const { createAccounts } = await import("../account/accounts.js")
  return createAccounts({
    store,
    log,
    isPasskeyOffered: providers.some(({ type }) => type === "webauthn"),
    isPasswordOffered: providers.some(({ type }) => type === "credentials"),
  })
}
