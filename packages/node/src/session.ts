import type { OriginOptions, ResponseCookie, Session } from "@latchkey/core"
import { type ConfigSource, readSession, serializeCookie } from "@latchkey/core/integration"
import { findCaller, type NodeRequest, resolveSettings } from "./config.js"
import type { NodeResponse } from "./response.js"

/**
 * Returns the current session, or null when signed out. Does not renew it; {@link requireAuth} does.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 * @throws UntrustedHost for an invalid host
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

/** Adds cookies to those that the response already sets. */
export function setCookies(target: NodeResponse, cookies: readonly ResponseCookie[]): void {
  for (const cookie of cookies) target.appendHeader("set-cookie", serializeCookie(cookie))
}
