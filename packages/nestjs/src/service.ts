import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  getAccessToken as getTokenOf,
  listSessions as listSessionsOf,
  type RequestAuth,
  refusalText,
  requireFresh as requireFreshOf,
  type SignOutEverywhereOptions,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions, SessionView } from "@latchkey/core/sessions"
import { readTarget, signOutEverywhere } from "@latchkey/node"
import { HttpException } from "@nestjs/common"
import { type NestAuthSettings, type NestRequest, toNodeRequest } from "./config.js"
import { getState } from "./session.js"

/**
 * The functions for a signed-in user, for injection: `constructor(private readonly auth: AuthService) {}`. Each takes the
 * request of a handler (`@Req()`).
 */
export class AuthService {
  readonly #settings: NestAuthSettings

  constructor(settings: NestAuthSettings) {
    this.#settings = settings
  }

  /** The session and the actions of a request, like `@CurrentAuth()`. */
  authOf(request: NestRequest): RequestAuth {
    return getState(request).request.auth
  }

  /**
   * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
   * @throws AccessTokenUnavailable with the `reason`
   * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
   */
  async getAccessToken(request: NestRequest, options: AccessTokenOptions): Promise<AccessToken> {
    const state = getState(request)
    const { caller, settings } = await state.findCaller()
    return getTokenOf(caller, settings, options, state.request.writer)
  }

  /**
   * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs
   * `secondFactors`, whose page `confirm` asks again, or `session.track`.
   * @throws HttpException By way of the exception filters, a page is redirected (303) to the page that asks; other clients
   *   get 403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
   * @throws AuthError when the configuration is invalid or has neither, or the store fails
   * @example
   * const session = await this.auth.requireFresh(request, { maxAgeSeconds: 600, factors: 2 })
   */
  async requireFresh(request: NestRequest, options: RequireFreshOptions = {}): Promise<FreshSession> {
    const { findCaller, response } = getState(request)
    const { caller, settings } = await findCaller()
    const target = readTarget(toNodeRequest(request))
    const fresh = await requireFreshOf(caller, settings, { ...options, target })
    if (!(fresh instanceof Response)) return fresh
    const { status, headers } = fresh
    // Nest writes the body, and its type.
    for (const [name, value] of headers) if (name !== "content-type") response.setHeader(name, value)
    if (status === 303) throw new HttpException(refusalText, status)
    throw new HttpException((await fresh.json()) as Record<string, unknown>, status)
  }

  /**
   * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
   * `session.track`.
   * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
   */
  async listSessions(request: NestRequest): Promise<readonly SessionView[]> {
    const { caller, settings } = await getState(request).findCaller()
    return listSessionsOf(caller, settings)
  }

  /**
   * Ends one session of the signed-in user.
   * @param id From {@link listSessions}.
   * @returns false when signed out, and for an id that is not one of the user's sessions
   * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
   */
  async endSession(request: NestRequest, id: string): Promise<boolean> {
    const { caller, settings } = await getState(request).findCaller()
    return endSessionOf(caller, settings, id)
  }

  /**
   * Ends all sessions of the signed-in user but the current one.
   * @returns how many it ended; 0 when signed out
   * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
   */
  async endOtherSessions(request: NestRequest): Promise<number> {
    const { caller, settings } = await getState(request).findCaller()
    return endOthersOf(caller, settings)
  }

  /**
   * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
   * @returns how many it ended
   * @throws Error if the configuration depends on the request
   */
  async signOutEverywhere(userId: string, options?: SignOutEverywhereOptions): Promise<number> {
    const { config } = this.#settings
    if (typeof config !== "function") return signOutEverywhere(config, userId, options)
    throw new Error(
      "The configuration depends on the request. Call signOutEverywhere of @latchkey/node with the right one",
    )
  }
}
