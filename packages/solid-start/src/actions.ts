import {
  type ActionAnswer,
  appendCookies,
  type Caller,
  signOut as endSession,
  readSignInForm,
  readSignOutForm,
  rememberCookies,
  type Settings,
  signIn as startSignIn,
  toErrorAnswer,
} from "@latchkey/core/integration"
import { canSetCookies, findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Starts a sign-in in a server function; with credentials or the code of a mail, completes it. The form's fields are
 * `providerId`, `redirectTo`, `authorizationParams-*` for the provider's authorization URL, and the provider's own
 * fields. Without a provider it redirects to the sign-in page.
 *
 * A rejected sign-in redirects to the sign-in page with the query `error`, as at the endpoints. It is not thrown, because
 * SolidStart sends thrown errors to the browser, with all fields of the form in a cookie.
 * @param event The result of `getRequestEvent()`.
 * @returns A redirect that sets the cookies. Return or throw it.
 * @throws TypeError without an event, and when the response has begun
 * @example
 * const logIn = action(async (form: FormData) => {
 *   "use server"
 *   return await signIn(getRequestEvent(), authConfig, form)
 * })
 */
export function signIn(event: SolidEvent | undefined, config: SolidAuthConfig, form: FormData): Promise<Response> {
  const options = readSignInForm(form)
  const action: ServerAction = { event, config, redirectTo: options.redirectTo }
  return runAction(action, (caller, settings) => startSignIn(caller, settings, options))
}

/**
 * Ends the current session in a server function.
 * @param form Its field `redirectTo` is where to go (default: the page with the form), and `atProvider` (`true` or `false`)
 * whether to sign out at the provider too.
 * @returns A redirect that clears the cookies. Return or throw it.
 * @throws TypeError without an event, and when the response has begun
 */
export function signOut(event: SolidEvent | undefined, config: SolidAuthConfig, form?: FormData): Promise<Response> {
  return runAction({ event, config }, async (caller, settings) => {
    const answer = await endSession(caller, settings, readSignOutForm(form))
    if (event) rememberCookies(event.request, answer.cookies)
    return answer
  })
}

interface ServerAction {
  readonly event: SolidEvent | undefined
  readonly config: SolidAuthConfig
  /** Passed to the sign-in page when a sign-in is rejected, for the next attempt. */
  readonly redirectTo?: string | undefined
}

async function runAction(
  { event, config, redirectTo }: ServerAction,
  run: (caller: Caller, settings: Settings) => Promise<ActionAnswer>,
): Promise<Response> {
  if (!event) throw new TypeError("There is no request. Call this in a server function, with getRequestEvent()")
  if (event.response && !canSetCookies(event)) {
    throw new TypeError(
      "The response has begun, so its cookies can no longer be set. Call this before the stream begins",
    )
  }
  const settings = findSettings(config)
  const caller = toCaller(event)
  try {
    return toRedirect(await run(caller, settings))
  } catch (error) {
    return toRedirect(toErrorAnswer(error, caller, settings, redirectTo))
  }
}

/** A browser follows a 303 with GET, even after a POST. */
function toRedirect({ url, cookies, headers: others }: ActionAnswer): Response {
  const headers = new Headers({ ...others, location: url, "cache-control": "no-store" })
  appendCookies(headers, cookies)
  return new Response(null, { status: 303, headers })
}
