import type { ConfigSource, HostConfig } from "@latchkey/core/integration"
import type { FastifyRequest } from "fastify"

/** Everything a host decides. `basePath` is not needed where `prefix` says it. */
export type FastifyAuthConfig = HostConfig

/**
 * A configuration, or a function that finds the one for a request. It should give the same object each time for the
 * same case, since what an object says is worked out once and kept with it.
 */
export type FastifyConfigSource = ConfigSource<FastifyRequest>

/** What stands beside the configuration. */
interface Placement {
  /**
   * The path below which the actions are answered, within that of the surrounding scope. Default: `basePath`, else the
   * path of `AUTH_URL`, else `/auth`.
   */
  readonly prefix?: string
}

/** The configuration itself, or a function for it under `config`. */
export type AuthPluginOptions = Placement & (FastifyAuthConfig | { readonly config: FastifyConfigSource })

/** Options taken apart: what is left of them is the configuration. */
export function toSource(options: AuthPluginOptions): FastifyConfigSource {
  if ("config" in options) return options.config
  // Those that `register` takes for itself.
  const { prefix: _, logLevel: __, logSerializers: ___, ...config }: typeof options & RegisterOptions = options
  return config
}

interface RegisterOptions {
  readonly logLevel?: unknown
  readonly logSerializers?: unknown
}
