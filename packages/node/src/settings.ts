import { type AuthConfig, findConfiguredUrl, setEnvDefaults } from "@latchkey/core"

/** A host's configuration with what the environment adds to it. */
export interface Settings {
  readonly config: AuthConfig
  /** Where visitors find the actions; empty for the root, else with a leading slash and no trailing one. */
  readonly basePath: string
  /** The public origin, when `AUTH_URL` says it. */
  readonly origin: string | undefined
}

/** A configuration, or a function that finds the one for a request. Return the same object as often as you can. */
export type ConfigSource<Req> =
  | Omit<AuthConfig, "raw">
  | ((req: Req) => Omit<AuthConfig, "raw"> | PromiseLike<Omit<AuthConfig, "raw">>)

/** A mount path with parameters in it has as many values as visitors care to send. */
const maxMountPaths = 64

/** One object for each configuration and mount path, so that the core resolves it once. */
const known = new WeakMap<object, Map<string, Settings>>()

/**
 * The settings for a configuration that is mounted on `mountPath`. The environment is read at the first call; neither
 * it nor the given object is written to.
 * @param mountPath Without a trailing slash. Empty: only the configuration and the environment say where.
 */
export async function resolveSettings<Req>(source: ConfigSource<Req>, req: Req, mountPath = ""): Promise<Settings> {
  const given = typeof source === "function" ? await source(req) : source
  const byMountPath = known.get(given) ?? new Map<string, Settings>()
  const found = byMountPath.get(mountPath)
  if (found) return found
  const settings = createSettings(given, mountPath, process.env)
  const [oldest] = byMountPath.keys()
  if (oldest !== undefined && byMountPath.size >= maxMountPaths) byMountPath.delete(oldest)
  known.set(given, byMountPath.set(mountPath, settings))
  return settings
}

/** Whether a path is the base path or below it, by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`)
}

function createSettings(given: Omit<AuthConfig, "raw">, mountPath: string, env: NodeJS.ProcessEnv): Settings {
  // A caller in plain JavaScript may have set `raw`; what is needed here is always a Response.
  const { raw: _, ...config }: AuthConfig = given
  const publicUrl = findConfiguredUrl(env)
  const fromEnv = trimPath(publicUrl?.pathname ?? "") || undefined
  const basePath = chooseBasePath(config.basePath === undefined ? fromEnv : trimPath(config.basePath), mountPath)
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
