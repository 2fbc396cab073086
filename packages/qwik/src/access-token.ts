import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { toCaller } from "./config.js"
import { type SessionEvent, settingsOfEvent } from "./user-sessions.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 * @example
 * export const useFiles = routeLoader$(async (event) => listFiles(await getAccessToken(event, { provider: "google" })))
 */
export async function getAccessToken(event: SessionEvent, options: AccessTokenOptions): Promise<AccessToken> {
  return getTokenOf(toCaller(event), settingsOfEvent(event), options)
}
