import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  listSessions as listSessionsOf,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import type { Context } from "koa"
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
