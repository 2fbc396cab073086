import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { findCaller, resolveSettings } from "@latchkey/node"
import type { FastifyRequest } from "fastify"
import { type FastifyConfigSource, readOrigin } from "./config.js"
import { findState } from "./session.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`. Tokens that are
 * kept in cookies are refreshed only in the scope of the plugin.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  request: FastifyRequest,
  config: FastifyConfigSource,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const { caller, settings } = findCaller(request.raw, await resolveSettings(config, request), readOrigin(request))
  return getTokenOf(caller, settings, options, findState(request)?.writer)
}
