import { type ActionAnswer, errorPageUrl, signIn, signOut } from "@latchkey/core/integration"
import { leave, type QwikEvent, toCaller } from "./qwik-event.js"
import { type ConfigQrl, findSettings } from "./settings.js"
import { toSignInRequest } from "./sign-in-fields.js"

type Fields = Readonly<Record<string, unknown>>

/**
 * Begins a sign-in; with credentials, completes it. One that is refused leads to the sign-in page with the query
 * `error`, as at the endpoints.
 * @throws what Qwik City takes for a redirect
 */
export async function beginSignIn(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  const wish = toSignInRequest(fields)
  const answer = signIn(toCaller(event), settings, wish)
  leave(event, await answer.catch((error) => toPage(errorPageUrl(error, settings, wish.redirectTo))))
}

/**
 * Ends a session.
 * @throws what Qwik City takes for a redirect
 */
export async function endSession(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  const { redirectTo } = toSignInRequest(fields)
  const answer = signOut(toCaller(event), settings, { redirectTo })
  leave(event, await answer.catch((error) => toPage(errorPageUrl(error, settings))))
}

function toPage(url: string): ActionAnswer {
  return { url, cookies: [] }
}
