import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  listSessions as listSessionsOf,
  type SignOutEverywhereOptions,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import type { Context } from "hono"
import { findSettings, getCaller } from "./session.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(c: Context): Promise<readonly SessionView[]> {
  return listSessionsOf(getCaller(c), await findSettings(c))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(c: Context, id: string): Promise<boolean> {
  return endSessionOf(getCaller(c), await findSettings(c), id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(c: Context): Promise<number> {
  return endOthersOf(getCaller(c), await findSettings(c))
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  c: Context,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(await findSettings(c), userId, options)
}
