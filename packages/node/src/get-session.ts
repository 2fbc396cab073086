import type { Session } from "@latchkey/core"
import { readSession } from "@latchkey/core/integration"
import { findCaller } from "./find-caller.js"
import type { NodeRequest } from "./node-request.js"
import type { OriginOptions } from "./origin.js"
import { type ConfigSource, resolveSettings } from "./settings.js"

/**
 * The session of whoever sent the request; null when nobody is signed in.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 * @throws UntrustedHost when the request's host is none
 */
export async function getSession<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: OriginOptions = {},
): Promise<Session | null> {
  const { caller, settings } = findCaller(request, await resolveSettings(config, request), options)
  const { session } = await readSession(caller, settings)
  return session
}
