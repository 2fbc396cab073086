import type { Session } from "@latchkey/core"
import { getSession as getNodeSession } from "@latchkey/node"
import type { FastifyRequest } from "fastify"
import { readArrival } from "./arrival.js"
import type { FastifyConfigSource } from "./plugin-options.js"

/**
 * The session of whoever sent the request; null when nobody is signed in. Where the plugin is registered,
 * `request.auth.getSession()` reads it once for a request and extends it.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 */
export async function getSession(request: FastifyRequest, config: FastifyConfigSource): Promise<Session | null> {
  const found = typeof config === "function" ? await config(request) : config
  return await getNodeSession(request.raw, found, readArrival(request))
}
