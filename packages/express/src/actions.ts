import type { Session } from "@latchkey/core"
import type { SignInRequest, SignOutRequest } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import {
  type ConfigSource,
  type Exchange,
  requireFresh as requireFreshOnNode,
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

function toExchange(exchange: ExpressExchange): Exchange<Request> {
  return { ...exchange, ...readOrigin(exchange.req) }
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
export function requireFresh(exchange: ExpressExchange, options?: RequireFreshOptions): Promise<FreshSession | null> {
  return requireFreshOnNode(toExchange(exchange), options)
}
