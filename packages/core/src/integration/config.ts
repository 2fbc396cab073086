import { findConfiguredUrl, setEnvDefaults } from "../config/env.js"
import { copyMode, setCutPath } from "../config/mode.js"
import { assertConfig } from "../config/validate.js"
import { UntrustedHost } from "../errors/errors.js"
import type { HostConfig } from "../features/functions.js"
import { resolveOrigin } from "../http/origin.js"
import { normalizeBasePath } from "../http/request.js"
import { createObjectCache } from "../runtime/cache.js"
import type { Environment } from "../runtime/environment.js"
import { logRejectedRequest } from "../serve.js"
import { watchConfig } from "../service.js"
import type { AuthConfig } from "../types/config.js"
import type { AuthContext } from "../types/http.js"

export type { HostConfig }

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type ConfigSource<Req> = HostConfig | ((req: Req) => HostConfig | PromiseLike<HostConfig>)

/** A host's configuration, completed from the environment. */
export interface Settings {
  readonly config: AuthConfig
  /** The public path of the endpoints: empty for the root, else with a leading slash and no trailing one. */
  readonly basePath: string
  /** The public origin, if `AUTH_URL` sets it. */
  readonly origin: string | undefined
}

/** The environment of a configuration, and where it is mounted. */
export interface MountOptions {
  readonly env: Environment
  /**
   * The path that the framework has mounted the endpoints on, without a trailing slash. Default: empty; only the
   * configuration and the environment set the base path.
   */
  readonly mountPath?: string | undefined
  /** The base path when the framework, the configuration and `AUTH_URL` leave it open. Default: `/auth`. */
  readonly defaultBasePath?: string | undefined
}

/** The sender of a request that host code is answering: a page, a form action, a loader. */
export interface Caller {
  /** The headers of the request. */
  readonly headers: Headers
  /** The method of the request. `GET` and `HEAD` cannot sign in or out, because any link causes them. Default: unknown. */
  readonly method?: string | undefined
  /** `http` or `https`, with or without its colon, as determined by the framework. Wins over `url`. */
  readonly protocol?: string | undefined
  /** Host with its port, as determined by the framework. Wins over `url`. */
  readonly host?: string | undefined
  /** The URL of the request as the server received it. The headers of a trusted proxy win over it. */
  readonly url?: string | undefined
  /** Trust `X-Forwarded-Proto` and `X-Forwarded-Host`. Default: false. */
  readonly trustProxy?: boolean | undefined
  /**
   * Refuse a form without a known origin in `signIn` and `signOut`. For frameworks that do not check the origin of forms
   * themselves, or let apps switch that check off. Default: false; a foreign `Origin` is always refused.
   */
  readonly needsFormOrigin?: boolean | undefined
  readonly context?: AuthContext | undefined
}

/** Limits the settings kept for one configuration: clients choose the values of a mount path's parameters. */
const maxMounts = 64

interface KnownSettings {
  readonly env: Environment
  readonly settings: Settings
  /** Whether the configuration is what it was. */
  readonly isCurrent: () => boolean
}

/** One object for each configuration and mount path, so that the core resolves it once. */
const known = createObjectCache<Map<string, KnownSettings>>()

/**
 * Returns the settings for a configuration that is mounted on `mountPath`. The environment is read on the first call,
 * and again when `env` is another object or the configuration was written to. Neither it nor the configuration is written to.
 */
export async function resolveSettings<Req>(
  source: ConfigSource<Req>,
  req: Req,
  options: MountOptions,
): Promise<Settings> {
  const given = typeof source === "function" ? await source(req) : source
  return settingsOf(given, options)
}

/** Like {@link resolveSettings}, for a configuration object. */
export function settingsOf(given: HostConfig, options: MountOptions): Settings {
  assertConfig(given)
  const { env, mountPath = "" } = options
  const byMountPath = known.get(given) ?? new Map<string, KnownSettings>()
  const found = byMountPath.get(mountPath)
  if (found?.env === env && found.isCurrent()) return found.settings
  const settings = createSettings(given, options)
  const [oldest] = byMountPath.keys()
  if (oldest !== undefined && byMountPath.size >= maxMounts) byMountPath.delete(oldest)
  known.set(given, byMountPath.set(mountPath, { env, settings, isCurrent: watchConfig(given) }))
  return settings
}

type Incomplete<Config> = { readonly [Name in keyof Config]?: Config[Name] | undefined }

/**
 * Wraps a function that derives a configuration from the host's. Derives one object for each, so that the core resolves
 * it once, and another when the host has written to its own.
 */
export function deriveConfigs<Given extends Incomplete<HostConfig>, Derived extends HostConfig>(
  derive: (given: Given) => Derived,
): (given: Given) => Derived {
  const derived = createObjectCache<{ readonly config: Derived; readonly isCurrent: () => boolean }>()
  return (given) => {
    assertConfig(given)
    const found = derived.get(given)
    if (found?.isCurrent()) return found.config
    const config = derive(given)
    copyMode(given, config)
    derived.set(given, { config, isCurrent: watchConfig(given) })
    return config
  }
}

function createSettings(given: HostConfig, options: MountOptions): Settings {
  const { env, defaultBasePath } = options
  // Percent-encoded, as the paths of requests are, so that they can be compared.
  const mountPath = normalizeBasePath(options.mountPath ?? "")
  // Plain JavaScript may pass `raw`, but an integration needs a response that it can send.
  const { raw: _, ...config }: AuthConfig = given
  copyMode(given, config)
  const publicUrl = findConfiguredUrl(env)
  const fromEnv = normalizeBasePath(publicUrl?.pathname ?? "") || undefined
  // JavaScript hosts may set null.
  const configured = typeof config.basePath === "string" ? normalizeBasePath(config.basePath) : fromEnv
  const basePath = chooseBasePath(configured, mountPath) ?? defaultBasePath
  if (basePath !== undefined) config.basePath = basePath
  setEnvDefaults(env, config, basePath === fromEnv)
  if (mountPath !== "" && basePath?.endsWith(mountPath) && basePath !== mountPath) {
    setCutPath(config, basePath.slice(0, -mountPath.length))
  }
  return { config, basePath: normalizeBasePath(config.basePath ?? ""), origin: publicUrl?.origin }
}

/**
 * The mount path, unless the configured path ends with it: then a proxy cuts off the rest, and public URLs need the
 * whole path.
 */
function chooseBasePath(configured: string | undefined, mountPath: string): string | undefined {
  if (mountPath === "") return configured
  return configured?.endsWith(mountPath) ? configured : mountPath
}

/**
 * Returns the public origin of the app: that of `AUTH_URL`, else that of the request.
 * @throws UntrustedHost for an invalid protocol or host; the log records it
 */
export function findOrigin(caller: Caller, { origin, config: { logger } }: Settings): string {
  if (origin !== undefined) return origin
  const { headers, context, url, method: _, needsFormOrigin: __, ...options } = caller
  try {
    if (url === undefined) return resolveOrigin(headers, options)
    const { protocol, host } = new URL(url)
    const hostHeaders = { get: (name: string) => (name === "host" ? host : headers.get(name)) }
    return resolveOrigin(hostHeaders, { ...options, socketProtocol: protocol })
  } catch (error) {
    if (error instanceof UntrustedHost) {
      logRejectedRequest(error, { headers, ...(logger && { logger }), ...(context && { context }) })
    }
    throw error
  }
}

/** Whether a path is the base path or below it, compared by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`)
}

/** The part of a request target before its query. */
export function toPath(target: string): string {
  // A search for a pattern takes longer, and most targets have neither.
  const query = target.indexOf("?")
  const path = query === -1 ? target : target.slice(0, query)
  const fragment = path.indexOf("#")
  return fragment === -1 ? path : path.slice(0, fragment)
}
