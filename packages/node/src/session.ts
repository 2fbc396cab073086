import type { Session } from "@latchkey/core"
import { type ConfigSource, readSession } from "@latchkey/core/integration"
import { type CallerOptions, findCaller, type NodeRequest, resolveSettings } from "./config.js"

/**
 * Returns the current session, or null when signed out. Does not renew it; {@link requireAuth} does.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 * @throws UntrustedHost for an invalid host
 */
export async function getSession<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): Promise<Session | null> {
  const { caller, settings } = findCaller(request, await resolveSettings(config, request), options)
  const { session } = await readSession(caller, settings)
  return session
}
