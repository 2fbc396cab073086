import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { getAccessToken as getTokenOnNode } from "@latchkey/node"
import type { FastifyRequest } from "fastify"
import { type FastifyConfigSource, readOrigin } from "./config.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  request: FastifyRequest,
  config: FastifyConfigSource,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const found = typeof config === "function" ? await config(request) : config
  return getTokenOnNode(request.raw, found, options, readOrigin(request))
}
