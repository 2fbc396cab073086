import { type ConfigSource, resolveSettings as resolveFromEnvironment, type Settings } from "@latchkey/core/integration"

export type { ConfigSource, Settings } from "@latchkey/core/integration"

/**
 * The settings for a configuration that is mounted on `mountPath`, with what `process.env` adds.
 * @param mountPath Without a trailing slash. Empty: only the configuration and the environment say where.
 */
export function resolveSettings<Req>(source: ConfigSource<Req>, req: Req, mountPath = ""): Promise<Settings> {
  return resolveFromEnvironment(source, req, { env: process.env, mountPath })
}
