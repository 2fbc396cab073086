import type { Session } from "@latchkey/core"
import {
  type ConfigSource,
  rememberCookies,
  type SignInRequest,
  type SignOutRequest,
  signIn as signInCaller,
  signOut as signOutCaller,
  updateSession as updateSessionOf,
} from "@latchkey/core/integration"
import { type CallerOptions, type FoundCaller, findCaller, type NodeRequest, resolveSettings } from "./config.js"
import { type NodeResponse, setCookies } from "./response.js"

/** A request with its response, and the configuration. */
export interface Exchange<Req extends NodeRequest = NodeRequest> extends CallerOptions {
  readonly req: Req
  /** Cookies are added to it. */
  readonly res: NodeResponse
  readonly config: ConfigSource<Req>
}

/**
 * Starts a sign-in from a form of your own; with credentials or the code of a mail, completes it.
 *
 * Does not check a CSRF token, so make sure that the form is yours. A foreign `Origin` is rejected.
 * @returns the URL to redirect to (use 303)
 * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`
 */
export async function signIn<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  options: SignInRequest = {},
): Promise<string> {
  const { caller, settings } = await open(exchange)
  const { url, cookies } = await signInCaller(caller, settings, options)
  setCookies(exchange.res, cookies)
  return url
}

/**
 * Ends the current session. Like {@link signIn}, it does not check a CSRF token.
 * @returns the URL to redirect to
 * @throws AuthError
 */
export async function signOut<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  options: SignOutRequest = {},
): Promise<string> {
  const { caller, settings } = await open(exchange)
  const { url, cookies } = await signOutCaller(caller, settings, options)
  rememberCookies(exchange.req, cookies)
  setCookies(exchange.res, cookies)
  return url
}

/**
 * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
 * @returns the updated session, or null when signed out
 * @throws AuthError
 */
export async function updateSession<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  data: unknown,
): Promise<Session | null> {
  const { caller, settings } = await open(exchange)
  const { session, cookies } = await updateSessionOf(caller, settings, data)
  rememberCookies(exchange.req, cookies)
  setCookies(exchange.res, cookies)
  return session
}

async function open<Req extends NodeRequest>(exchange: Exchange<Req>): Promise<FoundCaller> {
  const { req, res: _, config, ...options } = exchange
  return findCaller(req, await resolveSettings(config, req), options)
}
