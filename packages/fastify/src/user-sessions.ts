import type { SessionView } from "@latchkey/core/sessions"
import {
  endOtherSessions as endOthersOnNode,
  endSession as endSessionOnNode,
  listSessions as listSessionsOnNode,
} from "@latchkey/node"
import type { FastifyRequest } from "fastify"
import { type FastifyAuthConfig, type FastifyConfigSource, readOrigin } from "./config.js"

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(
  request: FastifyRequest,
  config: FastifyConfigSource,
): Promise<readonly SessionView[]> {
  return listSessionsOnNode(request.raw, await find(request, config), readOrigin(request))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(request: FastifyRequest, config: FastifyConfigSource, id: string): Promise<boolean> {
  return endSessionOnNode(request.raw, await find(request, config), id, readOrigin(request))
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(request: FastifyRequest, config: FastifyConfigSource): Promise<number> {
  return endOthersOnNode(request.raw, await find(request, config), readOrigin(request))
}

async function find(request: FastifyRequest, config: FastifyConfigSource): Promise<FastifyAuthConfig> {
  return typeof config === "function" ? await config(request) : config
}
