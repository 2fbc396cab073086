import { type ConfigSource, getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import { type CallerOptions, findCaller, type NodeRequest, resolveSettings } from "./config.js"
import { type NodeResponse, toCookieWriter } from "./response.js"

/** Where a request came from, and its response. */
export interface TokenCallerOptions extends CallerOptions {
  /** Tokens that are kept in cookies are refreshed only with it. */
  readonly response?: NodeResponse | undefined
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  wanted: AccessTokenOptions,
  { response, ...options }: TokenCallerOptions = {},
): Promise<AccessToken> {
  const { caller, settings } = findCaller(request, await resolveSettings(config, request), options)
  return getTokenOf(caller, settings, wanted, response && toCookieWriter(response))
}
