import { getAccessToken as getTokenOf } from "@latchkey/core/integration"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/tokens"
import type { Context } from "koa"
import { getState } from "./session.js"

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `tokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(ctx: Context, options: AccessTokenOptions): Promise<AccessToken> {
  const { findCaller, request } = getState(ctx)
  const { caller, settings } = await findCaller()
  const { writer } = request
  return getTokenOf(caller, settings, options, { ...writer, canWrite: () => !ctx.headerSent && writer.canWrite() })
}
