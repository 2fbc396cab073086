import { decideGuard, findOrigin, refusalText } from "@latchkey/core/integration"
import type { MiddlewareHandler } from "hono"
import { findSettings, getAuthUser, getCaller } from "./session.js"

/**
 * Requires a session, and sets `c.get("authUser")`. Without a session a page load is redirected to the sign-in page (303)
 * and returns afterwards; every other request gets 401. Errors go to the app's error handler, and the request does not
 * pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` if it is not `/auth`. A page of your own
 * is let through; the built-in one has to be answered before the guard.
 */
export function verifyAuth(): MiddlewareHandler {
  return async (c, next) => {
    const user = await getAuthUser(c)
    if (user) {
      c.set("authUser", user)
      return await next()
    }
    const settings = await findSettings(c)
    const origin = () => findOrigin(getCaller(c), settings)
    const { method, headers } = c.req.raw
    const sent = { method, accept: headers.get("accept"), authorization: headers.get("authorization") }
    const answer = decideGuard({ ...sent, target: readTarget(c.req.url), findOrigin: origin }, settings)
    if (answer.kind === "pass") return await next()
    if (answer.kind === "refuse") return c.json({ message: refusalText }, 401, answer.headers)
    for (const [name, value] of Object.entries(answer.headers)) c.header(name, value)
    const isOwnPage = typeof settings.config.pages?.signIn === "string"
    return c.redirect(isOwnPage ? answer.url : `${origin()}${answer.url}`, 303)
  }
}

/**
 * Path and query where Hono's router finds them. Some servers, such as Deno's, leave dot segments in the URL of a request:
 * parsing would resolve them, and the guard would judge another page than the one that is shown.
 */
function readTarget(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf(":") + 4))
}
