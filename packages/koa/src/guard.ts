import type { Middleware } from "koa"
import { findAuth, sendResponse } from "./session.js"

/**
 * Requires a session, and sets `ctx.state.session`. Without a session a page load is redirected to the sign-in page (303)
 * and returns afterwards; every other request gets 401. Errors go to the app, and the request does not pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`. A page of your own is let through; the built-in one has to
 * be answered before the guard. Needs `KoaAuth` before it.
 */
export function requireAuth(): Middleware {
  return async (ctx, next) => {
    const { auth, guard } = findAuth(ctx)
    const refusal = await guard()
    ctx.state["session"] = auth.session
    await (refusal ? sendResponse(refusal, ctx) : next())
  }
}
