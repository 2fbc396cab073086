import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { type ConfigSource, getAccessToken as getTokenOnNode } from "@latchkey/node"
import type { Request } from "express"
import { readOrigin } from "./config.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export function getAccessToken(
  req: Request,
  config: ConfigSource<Request>,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  // Express sets `req.res`.
  return getTokenOnNode(req, config, options, { ...readOrigin(req), response: req.res })
}
