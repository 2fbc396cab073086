import type { OriginOptions } from "@latchkey/node"
import type { Request } from "express"

/** Protocol and host as the app's `trust proxy` setting wants them seen. */
export function readArrival(req: Request): OriginOptions {
  return { protocol: req.protocol, host: findForwardedHost(req) }
}

/** `req.host` would do in Express 5; in Express 4 it lacks the port. Undefined: the request's own host counts. */
function findForwardedHost(req: Request): string | undefined {
  const trusts: unknown = req.app.get("trust proxy fn")
  if (typeof trusts !== "function" || trusts(req.socket.remoteAddress, 0) !== true) return undefined
  return req.get("x-forwarded-host")?.split(",", 1)[0]?.trim() || undefined
}
