import type { AppSession } from "@latchkey/types"
import type { AccessToken, AccessTokenOptions, FreshSession, RequireFreshOptions } from "../features/functions.js"
import type { SessionView } from "../session/own-sessions.js"
import type { SignInRequest, SignOutRequest } from "./actions.js"

/** A session with its user. */
export type UserSession = AppSession & { readonly user: NonNullable<AppSession["user"]> }

/** What `requireAuth` requires. */
export interface RequireAuthOptions {
  /** Where to go after the sign-in. Default: the requested page. */
  readonly callbackUrl?: string | undefined
}

/** Which session of a user goes on. */
export interface SignOutEverywhereOptions {
  /** The id of a session, as in the list. Default: none goes on. */
  readonly except?: string | undefined
}

/**
 * The session, the actions and the signed-in user of one request. Its members have the same names in every framework. The
 * response to the request sets their cookies.
 * @typeParam Refused What `requireAuth` and `requireFresh` return without a session: a `Response` to return; null if the
 *   framework has sent the response; never if they throw what the framework answers with.
 */
export interface UserAuth<Refused = Response> {
  /** The session, once `getSession` or `updateSession` has resolved; null before that and when signed out. */
  readonly session: AppSession | null
  /**
   * Returns the current session, or null when signed out. Reads it once for each request, and renews its cookie.
   * @throws SessionTokenError when the store fails, and AuthError when the configuration is invalid, so a failure never looks
   *   like being signed out
   */
  getSession(): Promise<AppSession | null>
  /**
   * Starts a sign-in from a form of your own; with credentials or the code of a mail, completes it. The session begins
   * with the next request. Does not check a CSRF token, so make sure that the form is yours; a foreign `Origin` is
   * rejected.
   * @param options A form has the fields `providerId` and `redirectTo`, and those of the provider.
   * @returns the URL to redirect to (use 303)
   * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`
   */
  signIn(options?: SignInRequest | FormData): Promise<string>
  /**
   * Ends the current session. Like `signIn`, it does not check a CSRF token.
   * @param options A form may have the fields `redirectTo` and `atProvider` (`true` or `false`).
   * @returns the URL to redirect to
   * @throws AuthError
   */
  signOut(options?: SignOutRequest | FormData): Promise<string>
  /**
   * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
   * @returns the updated session, or null when signed out
   * @throws AuthError
   */
  updateSession(data: unknown): Promise<AppSession | null>
  /**
   * Requires a session. Without one, a page load is redirected (303) to the sign-in page, which returns afterwards, and
   * every other request gets 401.
   * While the store fails, the answer is 503 with `Retry-After`; Next.js, which cannot send it, gets a SessionTokenError.
   * @throws AuthError when the configuration is invalid, and on the app's own sign-in page (`pages.signIn`), which needs none
   */
  requireAuth(options?: RequireAuthOptions): Promise<UserSession | Refused>
  /**
   * Requires that the signed-in user re-authenticated recently, such as before a payment. Needs `secondFactors`,
   * whose page `confirm` asks again, or `session.track`. Otherwise a page is redirected (303) to the page that asks, and
   * other clients get 403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
   * While the store fails, the answer is that of `requireAuth`.
   * @throws AuthError when the configuration is invalid or has neither
   */
  requireFresh(options?: RequireFreshOptions): Promise<FreshSession | Refused>
  /**
   * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
   * @throws AccessTokenUnavailable with the `reason`
   * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
   */
  getAccessToken(options: AccessTokenOptions): Promise<AccessToken>
  /**
   * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
   * `session.track`.
   * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
   */
  listSessions(): Promise<readonly SessionView[]>
  /**
   * Ends one session of the signed-in user.
   * @param id From `listSessions`.
   * @returns false when signed out, and for an id that is not one of the user's sessions
   * @throws FreshnessRequired for another session, unless the user re-authenticated in the last ten minutes
   */
  endSession(id: string): Promise<boolean>
  /**
   * Ends all sessions of the signed-in user but the current one.
   * @returns how many it ended; 0 when signed out
   * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
   */
  endOtherSessions(): Promise<number>
  /**
   * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
   * Outside of a request, use `signOutEverywhere` of `@latchkey/core/sessions`.
   * @returns how many it ended
   */
  signOutEverywhere(userId: string, options?: SignOutEverywhereOptions): Promise<number>
}
