import type { MiddlewareHandler } from "hono"
import { getAuthUser, getState } from "./session.js"

/**
 * Requires a session, and sets `c.get("authUser")`. Without a session a page load is redirected to the sign-in page (303)
 * and returns afterwards; every other request gets 401. Errors go to the app's error handler, and the request does not
 * pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` if it is not `/auth`. A page of your own
 * is let through; the built-in one has to be answered before the guard.
 */
export function requireAuth(): MiddlewareHandler {
  return async (c, next) => {
    const refusal = await getState(c).bound.guard()
    if (refusal) return refusal
    const user = await getAuthUser(c)
    if (user) c.set("authUser", user)
    return await next()
  }
}
