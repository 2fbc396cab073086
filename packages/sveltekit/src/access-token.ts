import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import { getAccessToken } from "@latchkey/core/integration"
import type { RequestEvent } from "@sveltejs/kit"
import type { FindRequestAuth } from "./session.js"

/** The access tokens of the signed-in user's providers, for hooks, loaders, actions and endpoints. */
export interface AccessTokens {
  /**
   * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
   * @throws AccessTokenUnavailable with the `reason`
   */
  getAccessToken(event: RequestEvent, options: AccessTokenOptions): Promise<AccessToken>
}

export function createAccessTokens(find: FindRequestAuth): AccessTokens {
  return {
    async getAccessToken(event, options) {
      const { caller, settings, writer } = await find(event)
      return getAccessToken(caller, settings, options, writer)
    },
  }
}
