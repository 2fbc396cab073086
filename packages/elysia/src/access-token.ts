import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { getState } from "./session.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @param request `request` of Elysia's context.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(request: Request, options: AccessTokenOptions): Promise<AccessToken> {
  const { caller, settings, request: state } = getState(request)
  return getTokenOf(caller, settings, options, state.writer)
}
