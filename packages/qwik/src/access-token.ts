import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { toCaller } from "./config.js"
import { type CookieEvent, setCookies } from "./session.js"
import { type SessionEvent, settingsOfEvent } from "./user-sessions.js"

/** The event of a loader, an action or an endpoint. */
export type TokenEvent = SessionEvent & CookieEvent & { readonly headersSent?: boolean }

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 * @example
 * export const useFiles = routeLoader$(async (event) => listFiles(await getAccessToken(event, { provider: "google" })))
 */
export async function getAccessToken(event: TokenEvent, options: AccessTokenOptions): Promise<AccessToken> {
  return getTokenOf(toCaller(event), settingsOfEvent(event), options, {
    canWrite: () => event.headersSent !== true,
    write: (cookies) => setCookies(event, cookies),
  })
}
