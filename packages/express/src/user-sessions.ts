import type { SessionView } from "@latchkey/core/sessions"
import {
  type ConfigSource,
  endOtherSessions as endOthersOnNode,
  endSession as endSessionOnNode,
  listSessions as listSessionsOnNode,
} from "@latchkey/node"
import type { Request } from "express"
import { readOrigin } from "./config.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export function listSessions(req: Request, config: ConfigSource<Request>): Promise<readonly SessionView[]> {
  return listSessionsOnNode(req, config, readOrigin(req))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export function endSession(req: Request, config: ConfigSource<Request>, id: string): Promise<boolean> {
  return endSessionOnNode(req, config, id, readOrigin(req))
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export function endOtherSessions(req: Request, config: ConfigSource<Request>): Promise<number> {
  return endOthersOnNode(req, config, readOrigin(req))
}
