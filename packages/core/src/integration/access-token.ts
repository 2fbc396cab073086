import { lazy } from "../runtime/cache.js"
import type { AccessToken, AccessTokenOptions } from "../tokens/access-token.js"
import type { Caller, Settings } from "./config.js"
import { toSessionRequest } from "./session.js"

/** Imported when the app first asks for a token: most apps never do. */
const loadTokens = lazy(() => import("../tokens/access-token.js"))

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  caller: Caller,
  settings: Settings,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const tokens = await loadTokens()
  return tokens.getAccessToken(toSessionRequest(caller, settings), settings.config, options)
}
