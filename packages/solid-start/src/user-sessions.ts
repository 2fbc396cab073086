import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  listSessions as listSessionsOf,
  type SignOutEverywhereOptions,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import { findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(
  source: Request | SolidEvent,
  config: SolidAuthConfig,
): Promise<readonly SessionView[]> {
  return listSessionsOf(toCaller(toEvent(source)), findSettings(config))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(source: Request | SolidEvent, config: SolidAuthConfig, id: string): Promise<boolean> {
  return endSessionOf(toCaller(toEvent(source)), findSettings(config), id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(source: Request | SolidEvent, config: SolidAuthConfig): Promise<number> {
  return endOthersOf(toCaller(toEvent(source)), findSettings(config))
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  config: SolidAuthConfig,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(findSettings(config), userId, options)
}

function toEvent(source: Request | SolidEvent): SolidEvent {
  return "request" in source ? source : { request: source }
}
