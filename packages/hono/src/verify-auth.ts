import { AuthError } from "@latchkey/core/errors"
import { type Settings, signIn } from "@latchkey/core/integration"
import type { Context, MiddlewareHandler } from "hono"
import { accepts } from "hono/accepts"
import { getAuthUser } from "./auth-user.js"
import { findCaller } from "./caller.js"

/**
 * Lets signed-in people through, with `c.get("authUser")` set. Others who load a page are sent to the sign-in page (303)
 * and come back afterwards; all other requests are answered with 401. What fails goes to the app's error handler: nobody
 * gets through.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` when it is not `/auth`.
 */
export function verifyAuth(): MiddlewareHandler {
  return async (c, next) => {
    const user = await getAuthUser(c)
    if (user) {
      c.set("authUser", user)
      return await next()
    }
    const { caller, settings } = await findCaller(c)
    const { url } = await signIn(caller, settings, { redirectTo: toWayBack(c) })
    if (isSamePage(url, c, settings)) return await passOrRefuse(settings, next)
    return isPageLoad(c) ? c.redirect(url, 303) : c.json({ message: "Sign in to continue." }, 401)
  }
}

/** The host's own sign-in page is shown; the built-in one would have been answered before it met a guard. */
async function passOrRefuse({ config, basePath }: Settings, next: () => Promise<void>): Promise<void> {
  if (config.pages?.signIn !== undefined) return await next()
  throw new AuthError(
    `verifyAuth() guards the sign-in page itself, which would send visitors round in circles: mount authHandler(), or HonoAuth(config), before it, and set basePath to where that is (now: "${basePath}")`,
  )
}

function isSamePage(page: string, c: Context, { origin }: Settings): boolean {
  const target = URL.parse(page, origin)
  return target?.origin === origin && target?.pathname === new URL(c.req.url).pathname
}

/** JSON stands first, so that clients who take anything are told, not sent round. */
function isPageLoad(c: Context): boolean {
  if (c.req.raw.method !== "GET" && c.req.raw.method !== "HEAD") return false
  const json = "application/json"
  return accepts(c, { header: "Accept", supports: [json, "text/html"], default: json }) === "text/html"
}

/** Two leading slashes would name another host. */
function toWayBack(c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return `${pathname.replace(/^[\\/]+/, "/")}${search}`
}
