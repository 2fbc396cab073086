import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  listSessions as listSessionsOf,
  type Settings,
  type SignOutEverywhereOptions,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import { type QwikEvent, toCaller } from "./config.js"

/** The event of a loader, an action or an endpoint. Call these functions on the server, inside of one of them. */
export type SessionEvent = Pick<QwikEvent, "clientConn" | "request" | "sharedMap" | "url">

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 * @example
 * export const useSessions = routeLoader$((event) => listSessions(event))
 */
export async function listSessions(event: SessionEvent): Promise<readonly SessionView[]> {
  return listSessionsOf(toCaller(event), settingsOfEvent(event))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another than the current session, unless the user signed in during the last ten minutes
 */
export async function endSession(event: SessionEvent, id: string): Promise<boolean> {
  return endSessionOf(toCaller(event), settingsOfEvent(event), id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user signed in during the last ten minutes
 */
export async function endOtherSessions(event: SessionEvent): Promise<number> {
  return endOthersOf(toCaller(event), settingsOfEvent(event))
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  event: SessionEvent,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(settingsOfEvent(event), userId, options)
}

/** By their maps: the events of one request share it. */
const settingsByMap = new WeakMap<QwikEvent["sharedMap"], Settings>()

/** Keeps the settings of a request for the functions above, whose callers do not have the configuration. */
export function rememberSettings({ sharedMap }: Pick<QwikEvent, "sharedMap">, settings: Settings): void {
  settingsByMap.set(sharedMap, settings)
}

/** @throws Error if `onRequest` of `QwikAuth$` has not seen the request */
export function settingsOfEvent({ sharedMap }: SessionEvent): Settings {
  const settings = settingsByMap.get(sharedMap)
  if (settings) return settings
  throw new Error(
    "The request has no authentication settings. Export onRequest of QwikAuth$ from src/routes/plugin@auth.ts",
  )
}
