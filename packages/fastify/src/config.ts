import type { AuthConfig, AuthContext } from "@latchkey/core"
import type { ConfigSource, HostConfig } from "@latchkey/core/integration"
import { type CallerOptions, readContext as readNodeContext, type TrustRule, withForwarded } from "@latchkey/node"
import type { FastifyRequest } from "fastify"

/** The configuration of the host. `basePath` is optional if `prefix` sets it. */
export type FastifyAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type FastifyConfigSource = ConfigSource<FastifyRequest>

/** The configuration itself, or a function that returns it under `config`. */
export type AuthPluginOptions = PrefixOptions & (FastifyAuthConfig | { readonly config: FastifyConfigSource })

interface PrefixOptions {
  /**
   * The path of the endpoints, within the prefix of the surrounding scope. Default: `basePath`, else the path of
   * `AUTH_URL`, else `/auth`.
   */
  readonly prefix?: string
}

interface RegisterOptions {
  readonly logLevel?: unknown
  readonly logSerializers?: unknown
}

/** Separates the configuration from the other options of the plugin. */
export function toSource(options: AuthPluginOptions): FastifyConfigSource {
  if ("config" in options) return options.config
  // `register` reads these options itself.
  const { prefix: _, logLevel: __, logSerializers: ___, ...config }: typeof options & RegisterOptions = options
  return config
}

/** Reads protocol and host by the app's `trustProxy` option. */
export function readOrigin({ protocol, host, raw: { headers } }: FastifyRequest): CallerOptions {
  const own = headers.host ?? headers[":authority"] ?? ""
  // Without a forwarded host, @latchkey/node reads the request's own, and rejects several of them.
  return { protocol, host: host === own ? undefined : host, proxySetting }
}

const proxySetting = 'createFastify({ trustProxy: "<address of the proxy>" })'

/** Reads the client address and the request ID. */
export type ContextReader = (request: FastifyRequest, config: Pick<AuthConfig, "trustedProxies">) => AuthContext

/**
 * Creates a reader of the client address that follows the app's `trustProxy` option, unless `trustedProxies` is
 * configured. Where clients could choose the address (see `withForwarded`), the socket's address counts.
 */
export function createContextReader(): ContextReader {
  const rule = {}
  return (request, { trustedProxies }) => {
    const context = { ...readNodeContext(request.raw, proxySetting), requestId: request.id }
    if (trustedProxies !== undefined || request.headers["x-forwarded-for"] === undefined) return context
    const trusts: TrustRule = (address, hop) => trustsChain(request, address, hop)
    return withForwarded(context, { rule, trusts, address: request.ip })
  }
}

const client = "203.0.113.1"

/** Applies the app's own rule to a made-up request that passed `hop + 1` proxies with the same address. */
function trustsChain(request: FastifyRequest, address: string, hop: number): boolean {
  const socket = { remoteAddress: address }
  const forwarded = [client, ...Array<string>(hop).fill(address)].join(", ")
  const raw = { headers: { "x-forwarded-for": forwarded }, socket, connection: socket }
  const madeUp: FastifyRequest = Object.create(request, { raw: { value: raw } })
  return madeUp.ip === client
}
