import { type HostConfig, type Settings, settingsOf } from "@latchkey/core/integration"

/** Everything a host decides. `prefix` alone says where the service is mounted. */
export interface SolidAuthConfig extends Omit<HostConfig, "basePath"> {
  /** Where the routes of the service are. Default: `/api/auth`. */
  readonly prefix?: string
}

const defaultPrefix = "/api/auth"
/** One object for each configuration, so that the core resolves it once. */
const known = new WeakMap<SolidAuthConfig, HostConfig>()
const noEnvironment = {}

/** The configuration with what the environment adds to it, which is read at the first call. */
export function toSettings(config: SolidAuthConfig): Settings {
  const found = known.get(config) ?? toHostConfig(config)
  known.set(config, found)
  return settingsOf(found, { env: typeof process === "undefined" ? noEnvironment : process.env })
}

function toHostConfig({ prefix = defaultPrefix, ...config }: SolidAuthConfig): HostConfig {
  return { ...config, basePath: prefix }
}
