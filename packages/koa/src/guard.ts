import { decideGuard, findOrigin, refusalText } from "@latchkey/core/integration"
import { readTarget } from "@latchkey/node"
import type { Middleware } from "koa"
import { getState } from "./session.js"

/**
 * Requires a session, and sets `ctx.state.session`. Without a session a page load is redirected to the sign-in page (303)
 * and returns afterwards; every other request gets 401. Errors go to the app, and the request does not pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`. A page of your own is let through; the built-in one has to
 * be answered before the guard. Needs `KoaAuth` before it.
 */
export function requireAuth(): Middleware {
  return async (ctx, next) => {
    const state = getState(ctx)
    const session = await state.request.auth.getSession()
    ctx.state["session"] = session
    if (session?.user) return await next()
    const { caller, settings } = await state.findCaller()
    const { method, headers } = ctx
    const { accept, authorization } = headers
    const request = { method, accept, authorization, target: readTarget(ctx) }
    const answer = decideGuard({ ...request, findOrigin: () => findOrigin(caller, settings) }, settings)
    if (answer.kind === "pass") return await next()
    ctx.set(answer.headers)
    if (answer.kind === "signIn") {
      ctx.status = 303
      ctx.redirect(answer.url)
    } else {
      ctx.status = 401
      ctx.body = { message: refusalText }
    }
  }
}
