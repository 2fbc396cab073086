import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import type { Context } from "hono"
import { findSettings, getCaller, getRequestState } from "./session.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(c: Context, options: AccessTokenOptions): Promise<AccessToken> {
  return getTokenOf(getCaller(c), await findSettings(c), options, getRequestState(c).writer)
}
