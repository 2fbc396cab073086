import type { Session } from "@latchkey/core"
import {
  appendCookies,
  forbidSharedCachingFromNowOn,
  getAccessToken as getTokenOf,
  readSession,
} from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import type { ResponseCookie } from "@latchkey/core/types"
import { findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Reads the current session.
 * @param source A request, or its event (`getRequestEvent()`). With an event, SolidStart's response also sets the renewed
 *   session cookie.
 * @returns The session, or null when signed out.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession(source: Request | SolidEvent, config: SolidAuthConfig): Promise<Session | null> {
  const event = "request" in source ? source : { request: source }
  const { session, cookies } = await readSession(toCaller(event), findSettings(config))
  if (event.response && cookies.length > 0) writeCookies(event.response.headers, cookies)
  return session
}

function writeCookies(headers: Headers, cookies: readonly ResponseCookie[]): void {
  appendCookies(headers, cookies)
  forbidSharedCachingFromNowOn(headers)
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @param source A request, or its event (`getRequestEvent()`). Tokens that are kept in cookies are refreshed only with an
 *   event.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  source: Request | SolidEvent,
  config: SolidAuthConfig,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const event = "request" in source ? source : { request: source }
  const headers = event.response?.headers
  const writer = headers && {
    canWrite: () => true,
    write: (cookies: readonly ResponseCookie[]) => writeCookies(headers, cookies),
  }
  return getTokenOf(toCaller(event), findSettings(config), options, writer)
}
