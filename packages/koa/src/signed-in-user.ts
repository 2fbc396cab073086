import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  getAccessToken as getTokenOf,
  listSessions as listSessionsOf,
  requireFresh as requireFreshOf,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions, SessionView } from "@latchkey/core/sessions"
import { readTarget } from "@latchkey/node"
import type { Context } from "koa"
import { send } from "./handler.js"
import { getState } from "./session.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(ctx: Context): Promise<readonly SessionView[]> {
  const { caller, settings } = await getState(ctx).findCaller()
  return listSessionsOf(caller, settings)
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(ctx: Context, id: string): Promise<boolean> {
  const { caller, settings } = await getState(ctx).findCaller()
  return endSessionOf(caller, settings, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(ctx: Context): Promise<number> {
  const { caller, settings } = await getState(ctx).findCaller()
  return endOthersOf(caller, settings)
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(ctx: Context, options: AccessTokenOptions): Promise<AccessToken> {
  const { findCaller, request } = getState(ctx)
  const { caller, settings } = await findCaller()
  const { writer } = request
  return getTokenOf(caller, settings, options, { ...writer, canWrite: () => !ctx.headerSent && writer.canWrite() })
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Null if the context has the response: a page is redirected (303) to the page that asks, other
 *   clients get 403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(ctx, { maxAgeSeconds: 600, factors: 2 })
 * if (!session) return
 */
export async function requireFresh(ctx: Context, options: RequireFreshOptions = {}): Promise<FreshSession | null> {
  const { caller, settings } = await getState(ctx).findCaller()
  const fresh = await requireFreshOf(caller, settings, { ...options, target: readTarget(ctx) })
  if (!(fresh instanceof Response)) return fresh
  send({ status: fresh.status, headers: [...fresh.headers], body: (await fresh.text()) || null }, ctx)
  return null
}
