import type { Session } from "@latchkey/core"
import { readSession, serializeCookie } from "@latchkey/core/integration"
import { type SolidAuthConfig, toSettings } from "./solid-auth-config.js"
import { type SolidEvent, toCaller } from "./solid-event.js"

/**
 * The session of whoever sent a request; null when nobody is signed in.
 * @param visitor A request, or the event that it belongs to (`getRequestEvent()`): then SolidStart's answer also sets
 *   the renewed cookie of a session that is used, so that it goes on.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 */
export async function getSession(visitor: Request | SolidEvent, config: SolidAuthConfig): Promise<Session | null> {
  const event = "request" in visitor ? visitor : { request: visitor }
  const { session, cookies } = await readSession(toCaller(event), toSettings(config))
  for (const cookie of cookies) event.response?.headers.append("set-cookie", serializeCookie(cookie))
  return session
}
