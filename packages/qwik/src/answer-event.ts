import { answerRequest, findSession, isServicePath } from "@latchkey/core/integration"
import { type QwikEvent, setCookies, toCaller } from "./qwik-event.js"
import { type ConfigQrl, findSettings } from "./settings.js"

/**
 * Answers the service's actions. For all other requests it leaves the session in `sharedMap`, under `session`: null when
 * nobody is signed in, and when the service cannot say.
 * @throws what Qwik City takes for an answer
 */
export async function answerEvent(event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  const caller = toCaller(event)
  if (isServicePath(event.url.pathname, settings.basePath)) {
    throw event.send(await answerRequest(event.request, caller, settings))
  }
  const { session, cookies } = await findSession(caller, settings)
  event.sharedMap.set("session", session)
  setCookies(event, cookies)
}
