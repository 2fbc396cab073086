import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import { getAccessToken } from "@latchkey/core/integration"
import { findSettings, type NextConfigSource, toCaller } from "./config.js"
import { canSetCookies, readCurrentRequest, setCookies } from "./session.js"

/** The access tokens of the signed-in user's providers, for server components, actions and route handlers. */
export interface AccessTokens {
  /**
   * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
   * Server components cannot set cookies: tokens that are kept in them are refreshed in actions and route handlers.
   * @throws AccessTokenUnavailable with the `reason`
   * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
   */
  getAccessToken(options: AccessTokenOptions): Promise<AccessToken>
}

export function createAccessTokens(source: NextConfigSource): AccessTokens {
  return {
    async getAccessToken(options) {
      const [{ headers }, { settings }] = await Promise.all([readCurrentRequest(), findSettings(source)])
      return getAccessToken(toCaller(headers, settings.config), settings, options, {
        canWrite: canSetCookies,
        write: setCookies,
      })
    },
  }
}
