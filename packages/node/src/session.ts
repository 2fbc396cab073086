import type { Session } from "@latchkey/core"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  type ConfigSource,
  getAccessToken as getTokenOf,
  readSession,
  requireFresh as requireFreshOf,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import type { Exchange } from "./actions.js"
import { type CallerOptions, findCaller, type NodeRequest, resolveSettings } from "./config.js"
import { readTarget } from "./request.js"
import { type NodeResponse, sendWebResponse, toCookieWriter } from "./response.js"

/**
 * Returns the current session, or null when signed out. Does not renew it; {@link requireAuth} does.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 * @throws UntrustedHost for an invalid host
 */
export async function getSession<Req extends NodeRequest>(
  request: Req,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): Promise<Session | null> {
  const { caller, settings } = findCaller(request, await resolveSettings(config, request), options)
  const { session } = await readSession(caller, settings)
  return session
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Null if the response was sent: a page is redirected (303) to the page that asks, other clients get
 *   403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh({ req, res, config }, { maxAgeSeconds: 600, factors: 2 })
 * if (!session) return
 */
export async function requireFresh<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  options: RequireFreshOptions = {},
): Promise<FreshSession | null> {
  const { req, res, config, ...origin } = exchange
  const { caller, settings } = findCaller(req, await resolveSettings(config, req), origin)
  const fresh = await requireFreshOf(caller, settings, { ...options, target: readTarget(req) })
  if (!(fresh instanceof Response)) return fresh
  await sendWebResponse(fresh, res)
  return null
}

/** Where a request came from, and its response. */
export interface TokenCallerOptions extends CallerOptions {
  /** Tokens that are kept in cookies are refreshed only with it. */
  readonly response?: NodeResponse | undefined
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
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
