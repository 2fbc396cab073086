import type { Session } from "@latchkey/core"
import { type ConfigSource, getSession as getNodeSession } from "@latchkey/node"
import type { Request } from "express"
import { readArrival } from "./arrival.js"

/**
 * The session of whoever sent the request; null when nobody is signed in.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 */
export function getSession(req: Request, config: ConfigSource<Request>): Promise<Session | null> {
  return getNodeSession(req, config, readArrival(req))
}
