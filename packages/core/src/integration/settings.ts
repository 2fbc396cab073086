import { findConfiguredUrl, setEnvDefaults } from "../config/env.js"
import type { Environment } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"

/** A host's configuration with what the environment adds to it. */
export interface Settings {
  readonly config: AuthConfig
  /** Where visitors find the actions; empty for the root, else with a leading slash and no trailing one. */
  readonly basePath: string
  /** The public origin, when `AUTH_URL` says it. */
  readonly origin: string | undefined
}

/** What a host writes: everything but `raw`, since an integration writes the answers itself. */
export type HostConfig = Omit<AuthConfig, "raw">

/** A configuration, or a function that finds the one for a request. Return the same object as often as you can. */
export type ConfigSource<Req> = HostConfig | ((req: Req) => HostConfig | PromiseLike<HostConfig>)

/** Where a configuration is mounted. */
export interface MountOptions {
  readonly env: Environment
  /**
   * Where the framework has mounted the service, without a trailing slash. Empty, or left out: only the configuration
   * and the environment say where.
   */
  readonly mountPath?: string
  /** Where neither the framework, the configuration nor `AUTH_URL` says it. Default: `/auth`. */
  readonly defaultBasePath?: string
}

/** A mount path with parameters in it has as many values as visitors care to send. */
const maxMounts = 64

interface KnownSettings {
  readonly env: Environment
  readonly settings: Settings
}

/** One object for each configuration and mount path, so that the core resolves it once. */
const known = new WeakMap<object, Map<string, KnownSettings>>()

/**
 * The settings for a configuration that is mounted on `mountPath`. The environment is read at the first call, and again
 * when another object is given for it; neither it nor the given configuration is written to.
 */
export async function resolveSettings<Req>(
  source: ConfigSource<Req>,
  req: Req,
  options: MountOptions,
): Promise<Settings> {
  const given = typeof source === "function" ? await source(req) : source
  return settingsOf(given, options)
}

/** As {@link resolveSettings}, for a configuration that is there already. */
export function settingsOf(given: HostConfig, options: MountOptions): Settings {
  const { env, mountPath = "" } = options
  const byMountPath = known.get(given) ?? new Map<string, KnownSettings>()
  const found = byMountPath.get(mountPath)
  if (found?.env === env) return found.settings
  const settings = createSettings(given, options)
  const [oldest] = byMountPath.keys()
  if (oldest !== undefined && byMountPath.size >= maxMounts) byMountPath.delete(oldest)
  known.set(given, byMountPath.set(mountPath, { env, settings }))
  return settings
}

/** Whether a path is the base path or below it, by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`)
}

function createSettings(given: HostConfig, { env, mountPath = "", defaultBasePath }: MountOptions): Settings {
  // A caller in plain JavaScript may have set `raw`; an integration always needs an answer that it can send.
  const { raw: _, ...config }: AuthConfig = given
  const publicUrl = findConfiguredUrl(env)
  const fromEnv = trimPath(publicUrl?.pathname ?? "") || undefined
  const configured = config.basePath === undefined ? fromEnv : trimPath(config.basePath)
  const basePath = chooseBasePath(configured, mountPath) ?? defaultBasePath
  if (basePath !== undefined) config.basePath = basePath
  setEnvDefaults(env, config, basePath === fromEnv)
  return { config, basePath: trimPath(config.basePath ?? ""), origin: publicUrl?.origin }
}

/**
 * The mount path, unless what is configured ends with it: then a proxy in front takes the rest away, and visitors need
 * the whole.
 */
function chooseBasePath(configured: string | undefined, mountPath: string): string | undefined {
  if (mountPath === "") return configured
  return configured?.endsWith(mountPath) ? configured : mountPath
}

function trimPath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "")
  return trimmed === "" ? "" : `/${trimmed}`
}
