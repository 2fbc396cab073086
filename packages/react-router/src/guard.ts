import type { RouteArgs } from "./config.js"
import { getAuth } from "./session.js"

/** React Router's `MiddlewareFunction<Response>`. */
export type RouteMiddleware = (args: RouteArgs, next: () => Promise<Response>) => Promise<Response>

/**
 * A middleware that requires a session, for the routes that export it and those inside them:
 * `export const middleware = [requireAuth]`. Page loads and navigations are redirected to the sign-in page (303) and return
 * afterwards; every other request gets 401. Errors go to React Router, and the request does not pass.
 *
 * In the browser, React Router calls no middleware for a navigation to routes without a `loader`. Give each route a loader.
 */
export const requireAuth: RouteMiddleware = async (args, next) => {
  return (await getAuth(args.context).guard()) ?? (await next())
}
