import type { Session } from "@latchkey/core"
import type { SignInRequest, SignOutRequest } from "@latchkey/core/integration"
import {
  type ConfigSource,
  type Exchange,
  signIn as signInOnNode,
  signOut as signOutOnNode,
  updateSession as updateSessionOnNode,
} from "@latchkey/node"
import type { Request, Response } from "express"
import { readOrigin } from "./config.js"

/** A request with its response, and the configuration. */
export interface ExpressExchange {
  readonly req: Request
  /** Cookies are added to it. */
  readonly res: Response
  /** Needs `basePath` if it is not `/auth`. */
  readonly config: ConfigSource<Request>
}

/**
 * Starts a sign-in from a form of your own; with credentials or the code of a mail, completes it.
 *
 * Does not check a CSRF token, so make sure that the form is yours. A foreign `Origin` is rejected.
 * @returns the URL to redirect to (use 303)
 * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`
 * @example
 * res.redirect(303, await signIn({ req, res, config }, { providerId: "github" }))
 */
export function signIn(exchange: ExpressExchange, options: SignInRequest = {}): Promise<string> {
  return signInOnNode(toExchange(exchange), options)
}

/**
 * Ends the current session. Like {@link signIn}, it does not check a CSRF token.
 * @returns the URL to redirect to
 * @throws AuthError
 */
export function signOut(exchange: ExpressExchange, options: SignOutRequest = {}): Promise<string> {
  return signOutOnNode(toExchange(exchange), options)
}

/**
 * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
 * @returns the updated session, or null when signed out
 * @throws AuthError
 */
export function updateSession(exchange: ExpressExchange, data: unknown): Promise<Session | null> {
  return updateSessionOnNode(toExchange(exchange), data)
}

export function toExchange(exchange: ExpressExchange): Exchange<Request> {
  return { ...exchange, ...readOrigin(exchange.req) }
}
