import type { Session } from "@latchkey/core"
import {
  type SignInRequest,
  signIn as signInAtService,
  signOut as signOutAtService,
  updateSession as updateSessionAtService,
} from "@latchkey/core/integration"
import { findCaller } from "./find-caller.js"
import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"
import type { OriginOptions } from "./origin.js"
import { setCookies } from "./set-cookies.js"
import { type ConfigSource, resolveSettings } from "./settings.js"

/** A request and its answer, and how the app signs people in. */
export interface Exchange<Req extends NodeRequest = NodeRequest> extends OriginOptions {
  readonly req: Req
  /** The cookies are added to it. */
  readonly res: NodeResponse
  readonly config: ConfigSource<Req>
}

/**
 * Begins a sign-in for a form of the app's own; with credentials, completes it.
 *
 * No csrf token is asked for: the app has to make sure that the form is its own. A foreign `Origin` is refused.
 * @returns Where the visitor goes next: answer with 303 to it.
 * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
 */
export async function signIn<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  wish: SignInRequest = {},
): Promise<string> {
  const { caller, settings } = await findVisitor(exchange)
  const { url, cookies } = await signInAtService(caller, settings, wish)
  setCookies(exchange.res, cookies)
  return url
}

/**
 * Ends the session of whoever sent the request. As {@link signIn} it asks for no csrf token.
 * @returns Where the visitor goes next.
 * @throws AuthError
 */
export async function signOut<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  options: Pick<SignInRequest, "redirectTo"> = {},
): Promise<string> {
  const { caller, settings } = await findVisitor(exchange)
  const { url, cookies } = await signOutAtService(caller, settings, options)
  setCookies(exchange.res, cookies)
  return url
}

/**
 * Hands the app's data to its `jwt` and `session` callbacks.
 * @returns The session as it is now; null when nobody is signed in.
 * @throws AuthError
 */
export async function updateSession<Req extends NodeRequest>(
  exchange: Exchange<Req>,
  data: unknown,
): Promise<Session | null> {
  const { caller, settings } = await findVisitor(exchange)
  const { session, cookies } = await updateSessionAtService(caller, settings, data)
  setCookies(exchange.res, cookies)
  return session
}

async function findVisitor<Req extends NodeRequest>({ req, res: _, config, ...options }: Exchange<Req>) {
  return findCaller(req, await resolveSettings(config, req), options)
}
