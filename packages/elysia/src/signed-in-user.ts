import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  getAccessToken as getTokenOf,
  listSessions as listSessionsOf,
  requireFresh as requireFreshOf,
  type SignOutEverywhereOptions,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions, SessionView } from "@latchkey/core/sessions"
import { getState } from "./session.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @param request `request` of Elysia's context.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(request: Request): Promise<readonly SessionView[]> {
  const { caller, settings } = getState(request)
  return listSessionsOf(caller, settings)
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(request: Request, id: string): Promise<boolean> {
  const { caller, settings } = getState(request)
  return endSessionOf(caller, settings, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(request: Request): Promise<number> {
  const { caller, settings } = getState(request)
  return endOthersOf(caller, settings)
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  request: Request,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(getState(request).settings, userId, options)
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @param request `request` of Elysia's context.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(request: Request, options: AccessTokenOptions): Promise<AccessToken> {
  const { caller, settings, request: state } = getState(request)
  return getTokenOf(caller, settings, options, state.writer)
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @param request `request` of Elysia's context.
 * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(request, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(
  request: Request,
  options: RequireFreshOptions = {},
): Promise<FreshSession | Response> {
  const { caller, settings } = getState(request)
  const url = URL.parse(request.url)
  return requireFreshOf(caller, settings, { ...options, target: url ? `${url.pathname}${url.search}` : undefined })
}
