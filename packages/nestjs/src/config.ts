import type { ConfigSource, HostConfig } from "@latchkey/core/integration"
import type { NodeRequest } from "@latchkey/node"

/** The configuration of the host. */
export type NestAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request of `node:http`. Return the same object for the same
 * case: Latchkey resolves each configuration object once.
 */
export type NestConfigSource = ConfigSource<NodeRequest>

/** How clients reach the app. */
export interface NestAuthOptions {
  /**
   * Trust `X-Forwarded-Proto` and `X-Forwarded-Host`. Set it only if all requests come through a proxy that sets both.
   * Not needed with `AUTH_URL`. Default: false.
   */
  readonly trustProxy?: boolean | undefined
}

/** What `AuthModule` was given. */
export interface NestAuthSettings {
  readonly config: NestConfigSource
  readonly options: NestAuthOptions
}

/** The setting that the log names. */
export const proxySetting = "AuthModule.forRoot(config, { trustProxy: true })"

/** A request of Nest: that of Express, or that of Fastify with the one of `node:http` inside. */
export type NestRequest = NodeRequest | { readonly raw: NodeRequest }

/** The request of `node:http` that the middleware has seen. */
export function toNodeRequest(request: NestRequest): NodeRequest {
  return "raw" in request ? request.raw : request
}
