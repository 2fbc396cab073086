import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @param source A request, or its event (`getRequestEvent()`).
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  source: Request | SolidEvent,
  config: SolidAuthConfig,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const event = "request" in source ? source : { request: source }
  return getTokenOf(toCaller(event), findSettings(config), options)
}
