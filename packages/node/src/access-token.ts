import { type ConfigSource, getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { type CallerOptions, findCaller, type NodeRequest, resolveSettings } from "./config.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  wanted: AccessTokenOptions,
  options: CallerOptions = {},
): Promise<AccessToken> {
  const { caller, settings } = findCaller(request, await resolveSettings(config, request), options)
  return getTokenOf(caller, settings, wanted)
}
