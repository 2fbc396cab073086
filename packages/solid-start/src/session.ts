import type { Session } from "@latchkey/core"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  appendCookies,
  forbidSharedCachingFromNowOn,
  getAccessToken as getTokenOf,
  readSession,
  requireFresh as requireFreshOf,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import type { ResponseCookie } from "@latchkey/core/types"
import { canSetCookies, findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Reads the current session.
 * @param source A request, or its event (`getRequestEvent()`). With an event, SolidStart's response also sets the renewed
 *   session cookie, unless the stream of a page has begun.
 * @returns The session, or null when signed out.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession(source: Request | SolidEvent, config: SolidAuthConfig): Promise<Session | null> {
  const event = "request" in source ? source : { request: source }
  const { session, cookies } = await readSession(toCaller(event), findSettings(config))
  if (event.response && canSetCookies(event) && cookies.length > 0) writeCookies(event.response.headers, cookies)
  return session
}

function writeCookies(headers: Headers, cookies: readonly ResponseCookie[]): void {
  appendCookies(headers, cookies)
  forbidSharedCachingFromNowOn(headers)
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @param source A request, or its event (`getRequestEvent()`).
 * @example
 * const session = await requireFresh(event, config, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(
  source: Request | SolidEvent,
  config: SolidAuthConfig,
  options: RequireFreshOptions = {},
): Promise<FreshSession | Response> {
  const event = "request" in source ? source : { request: source }
  const { pathname, search } = new URL(event.request.url)
  return requireFreshOf(toCaller(event), findSettings(config), { ...options, target: `${pathname}${search}` })
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @param source A request, or its event (`getRequestEvent()`). Tokens that are kept in cookies are refreshed only with an
 *   event, and before the stream of a page has begun.
 * @throws AccessTokenUnavailable with the `reason`, such as `cannot-write`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(
  source: Request | SolidEvent,
  config: SolidAuthConfig,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const event = "request" in source ? source : { request: source }
  const headers = event.response?.headers
  const writer = headers && {
    canWrite: () => canSetCookies(event),
    write: (cookies: readonly ResponseCookie[]) => writeCookies(headers, cookies),
  }
  return getTokenOf(toCaller(event), findSettings(config), options, writer)
}
