import type { AuthConfig, AuthContext } from "@latchkey/core"
import { type ConfigSource, type HostConfig, isLocalAddress } from "@latchkey/core/integration"
import { type CallerOptions, readContext as readNodeContext } from "@latchkey/node"
import type { Context } from "koa"

/** The configuration of the host. `basePath` is optional if `prefix` sets it. */
export type KoaAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type KoaConfigSource = ConfigSource<Context>

/** Where the app receives the endpoints. */
export interface KoaAuthOptions {
  /**
   * The path of the endpoints as the server receives it, for a proxy that cuts off the beginning of the public path.
   * Default: `basePath`, else the path of `AUTH_URL`, else `/auth`.
   */
  readonly prefix?: string | undefined
}

const proxySetting = "new Koa({ proxy: true, maxIpsCount: 1 })"

/** Reads protocol and host by the app's `proxy` setting. */
export function readOrigin(ctx: Context): CallerOptions {
  // Not `ctx.host`, which cuts an invalid host to a valid one. Undefined: the Host header counts.
  const forwarded = ctx.app.proxy ? ctx.get("x-forwarded-host").split(",", 1)[0]?.trim() : undefined
  return { protocol: ctx.protocol, host: forwarded || undefined, proxySetting }
}

/**
 * Reads the client address by the app's `proxy` and `maxIpsCount` settings, unless `trustedProxies` is configured.
 * Without a count, and for clients that reach the server directly, the socket's address counts: everyone could choose the
 * forwarded one.
 */
export function readContext(ctx: Context, { trustedProxies }: Pick<AuthConfig, "trustedProxies">): AuthContext {
  const context = readNodeContext(ctx.req, proxySetting)
  const { clientAddress: peer = "" } = context
  const isForwarded = ctx.app.proxy && ctx.get(ctx.app.proxyIpHeader) !== ""
  if (trustedProxies !== undefined || !isForwarded) return context
  if (ctx.app.maxIpsCount === 0) return { ...context, trustsEveryProxy: true }
  return isLocalAddress(peer) ? { ...context, clientAddress: ctx.ip, isForwarded, peerAddress: peer } : context
}
