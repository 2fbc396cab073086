import type { Session } from "@latchkey/core"
import type { SignInRequest } from "@latchkey/core/integration"
import {
  type ConfigSource,
  type Exchange,
  signIn as signInOnNode,
  signOut as signOutOnNode,
  updateSession as updateSessionOnNode,
} from "@latchkey/node"
import type { Request, Response } from "express"
import { readArrival } from "./arrival.js"

/** A request and its answer, and how the app signs people in. */
export interface ExpressExchange {
  readonly req: Request
  /** The cookies are added to it. */
  readonly res: Response
  /** With `basePath`, where that is not `/auth`. */
  readonly config: ConfigSource<Request>
}

/**
 * Begins a sign-in for a form of the app's own; with credentials, completes it.
 *
 * No csrf token is asked for: the app has to make sure that the form is its own. A foreign `Origin` is refused.
 * @returns Where the visitor goes next: `res.redirect(303, await signIn({ req, res, config }, { providerId: "github" }))`.
 * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
 */
export function signIn(exchange: ExpressExchange, wish: SignInRequest = {}): Promise<string> {
  return signInOnNode(toExchange(exchange), wish)
}

/**
 * Ends the session of whoever sent the request. As {@link signIn} it asks for no csrf token.
 * @returns Where the visitor goes next.
 * @throws AuthError
 */
export function signOut(exchange: ExpressExchange, options: Pick<SignInRequest, "redirectTo"> = {}): Promise<string> {
  return signOutOnNode(toExchange(exchange), options)
}

/**
 * Hands the app's data to its `jwt` and `session` callbacks.
 * @returns The session as it is now; null when nobody is signed in.
 * @throws AuthError
 */
export function updateSession(exchange: ExpressExchange, data: unknown): Promise<Session | null> {
  return updateSessionOnNode(toExchange(exchange), data)
}

function toExchange(exchange: ExpressExchange): Exchange<Request> {
  return { ...exchange, ...readArrival(exchange.req) }
}
