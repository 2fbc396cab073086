import type { AuthConfig, AuthContext } from "@latchkey/core"
import { type OriginOptions, readContext as readNodeContext } from "@latchkey/node"
import type { Request } from "express"

/** Protocol and host as the app's `trust proxy` setting wants them seen. */
export function readArrival(req: Request): OriginOptions {
  return { protocol: req.protocol, host: findForwardedHost(req) }
}

/**
 * Where the request came from: what the app's `trust proxy` setting makes of it, unless `trustedProxies` says more.
 * `true` believes whoever sends the header, so that visitors could choose their address: then the socket's counts.
 */
export function readContext(req: Request, { trustedProxies }: Pick<AuthConfig, "trustedProxies">): AuthContext {
  const context = readNodeContext(req)
  const isAppTrusting = trustedProxies === undefined && req.app.get("trust proxy") !== true
  if (isAppTrusting && req.ip !== context.clientAddress) return { ...context, clientAddress: req.ip, isForwarded: true }
  return context
}

/** `req.host` would do in Express 5; in Express 4 it lacks the port. Undefined: the request's own host counts. */
function findForwardedHost(req: Request): string | undefined {
  const trusts: unknown = req.app.get("trust proxy fn")
  if (typeof trusts !== "function" || trusts(req.socket.remoteAddress, 0) !== true) return undefined
  return req.get("x-forwarded-host")?.split(",", 1)[0]?.trim() || undefined
}
