import type { Session } from "@latchkey/core"
import type { SignInRequest, SignOutRequest } from "@latchkey/core/integration"
import type { Context } from "hono"
import { getRequestState } from "./session.js"

/**
 * Starts a sign-in from a form of your own; with credentials or the code of a mail, completes it. Its cookies go out with
 * the response, and the session begins with the next request.
 *
 * Does not check a CSRF token: mount `csrf()` of `hono/csrf` before the form's route.
 * @returns the URL to redirect to (use 303)
 * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`
 * @example
 * return c.redirect(await signIn(c, { providerId: "github" }), 303)
 */
export function signIn(c: Context, options: SignInRequest = {}): Promise<string> {
  return getRequestState(c).auth.signIn(options)
}

/**
 * Ends the current session. Like {@link signIn}, it does not check a CSRF token.
 * @returns the URL to redirect to
 * @throws AuthError
 */
export function signOut(c: Context, options: SignOutRequest = {}): Promise<string> {
  return getRequestState(c).auth.signOut(options)
}

/**
 * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
 * @returns the updated session, or null when signed out
 * @throws AuthError
 */
export function updateSession(c: Context, data: unknown): Promise<Session | null> {
  return getRequestState(c).auth.updateSession(data)
}
