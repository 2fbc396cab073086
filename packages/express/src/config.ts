import type { AuthConfig, AuthContext } from "@latchkey/core"
import { type CallerOptions, readContext as readNodeContext, type TrustRule, withForwarded } from "@latchkey/node"
import type { Request } from "express"

/** The configuration of the host. `basePath` is optional: the mount path sets it. */
export type ExpressAuthConfig = Omit<AuthConfig, "raw">

/** Reads protocol and host by the app's `trust proxy` setting. */
export function readOrigin(req: Request): CallerOptions {
  return { protocol: req.protocol, host: findForwardedHost(req), proxySetting }
}

const proxySetting = 'app.set("trust proxy", 1)'

/** `req.host` lacks the port in Express 4. Undefined: the Host header counts. */
function findForwardedHost(req: Request): string | undefined {
  if (req.headers["x-forwarded-host"] === undefined) return undefined
  const trusts: unknown = req.app.get("trust proxy fn")
  if (typeof trusts !== "function" || trusts(req.socket?.remoteAddress, 0) !== true) return undefined
  // A list in some requests without a connection.
  const hosts = String(req.headers["x-forwarded-host"])
  return hosts.split(",", 1)[0]?.trim() || undefined
}

/**
 * Reads the client address by the app's `trust proxy` setting, unless `trustedProxies` is configured. Where clients could
 * choose the address (see `withForwarded`), the socket's address counts.
 */
export function readContext(req: Request, { trustedProxies }: Pick<AuthConfig, "trustedProxies">): AuthContext {
  const context = readNodeContext(req, proxySetting)
  // Without the header, `req.ip` is the socket's address. Express parses the header each time.
  if (trustedProxies !== undefined || req.headers["x-forwarded-for"] === undefined) return context
  const trusts: unknown = req.app.get("trust proxy fn")
  return isTrustRule(trusts) ? withForwarded(context, { rule: trusts, trusts, address: req.ip }) : context
}

/** Express compiles every form of the setting to such a function. */
function isTrustRule(value: unknown): value is TrustRule {
  return typeof value === "function"
}
