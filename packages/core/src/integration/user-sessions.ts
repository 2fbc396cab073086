import { lazy } from "../runtime/cache.js"
import type { SessionView } from "../session/own-sessions.js"
import { type Caller, findOrigin, type Settings } from "./config.js"

/** Imported when the app first lists or ends sessions: most apps never do. */
const load = lazy(() => import("../sessions/manage.js"))

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(caller: Caller, settings: Settings): Promise<readonly SessionView[]> {
  const sessions = await load()
  return sessions.listSessions(toRequest(caller, settings), settings.config)
}

/**
 * Ends one session of the signed-in user, by its id in the list.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another than the current session, unless the user signed in during the last ten minutes
 */
export async function endSession(caller: Caller, settings: Settings, id: string): Promise<boolean> {
  const sessions = await load()
  return sessions.endSession(toRequest(caller, settings), settings.config, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user signed in during the last ten minutes
 */
export async function endOtherSessions(caller: Caller, settings: Settings): Promise<number> {
  const sessions = await load()
  return sessions.endOtherSessions(toRequest(caller, settings), settings.config)
}

/** Which session of a user goes on. */
export interface SignOutEverywhereOptions {
  /** The id of a session, as in the list. Default: none goes on. */
  readonly except?: string
}

/**
 * Ends all sessions of a user, such as when you disable an account.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  { config }: Settings,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  const sessions = await load()
  return sessions.signOutEverywhere(config, userId, options)
}

/** The request at the app's public origin, which decides about the name of the session cookie. */
function toRequest(caller: Caller, settings: Settings): Request {
  return new Request(`${findOrigin(caller, settings)}${settings.basePath}/session`, { headers: caller.headers })
}
