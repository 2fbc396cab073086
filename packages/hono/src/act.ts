import type { Session } from "@latchkey/core"
import {
  type SignInRequest,
  signIn as signInAtService,
  signOut as signOutAtService,
  updateSession as updateSessionAtService,
} from "@latchkey/core/integration"
import type { Context } from "hono"
import { findCaller } from "./caller.js"
import { getState, keepCookies } from "./request-state.js"

/**
 * Begins a sign-in for a form of the app's own; with credentials, completes it. The cookies go out with the answer.
 *
 * No csrf token is asked for: mount `csrf()` of `hono/csrf` before the form's route.
 * Who has signed in is known with their next request.
 * @returns Where the visitor goes next: `return c.redirect(await signIn(c, { providerId: "github" }), 303)`.
 * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
 */
export async function signIn(c: Context, wish: SignInRequest = {}): Promise<string> {
  const { caller, settings } = await findCaller(c)
  const { url, cookies } = await signInAtService(caller, settings, wish)
  keepCookies(c, cookies)
  return url
}

/**
 * Ends the session of whoever sent the request. As {@link signIn} it asks for no csrf token.
 * @returns Where the visitor goes next.
 * @throws AuthError
 */
export async function signOut(c: Context, { redirectTo }: Pick<SignInRequest, "redirectTo"> = {}): Promise<string> {
  const { caller, settings } = await findCaller(c)
  const { url, cookies } = await signOutAtService(caller, settings, { redirectTo })
  keepCookies(c, cookies)
  // The request still carries the old cookie, by which a stateless session would be read and renewed.
  getState(c).session = Promise.resolve({ session: null, cookies: [] })
  return url
}

/**
 * Hands the app's data to its `jwt` and `session` callbacks.
 * @returns The session as it is now; null when nobody is signed in.
 * @throws AuthError
 */
export async function updateSession(c: Context, data: unknown): Promise<Session | null> {
  const { caller, settings } = await findCaller(c)
  const answer = await updateSessionAtService(caller, settings, data)
  keepCookies(c, answer.cookies)
  getState(c).session = Promise.resolve(answer)
  return answer.session
}
