import {
  type ConfigSource,
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  type HostConfig,
  listSessions as listSessionsOf,
  readProcessEnv,
  type SignOutEverywhereOptions,
  settingsOf,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import { type CallerOptions, type FoundCaller, findCaller, type NodeRequest, resolveSettings } from "./config.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): Promise<readonly SessionView[]> {
  const { caller, settings } = await find(request, config, options)
  return listSessionsOf(caller, settings)
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  id: string,
  options: CallerOptions = {},
): Promise<boolean> {
  const { caller, settings } = await find(request, config, options)
  return endSessionOf(caller, settings, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): Promise<number> {
  const { caller, settings } = await find(request, config, options)
  return endOthersOf(caller, settings)
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  config: HostConfig,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(settingsOf(config, { env: readProcessEnv() }), userId, options)
}

async function find<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: CallerOptions,
): Promise<FoundCaller> {
  return findCaller(request, await resolveSettings(config, request), options)
}
