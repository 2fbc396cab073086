import { type ConfigSource, resolveSettings } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { getSession } from "./get-session.js"

/**
 * Lets signed-in people through, with `res.locals.session` set. Others who load a page are sent to the sign-in page
 * (303) and come back afterwards; all other requests are answered with 401. What fails goes to the app's error handler:
 * nobody gets through.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` when it is not `/auth`.
 */
export function requireAuth(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    try {
      const session = await getSession(req, config)
      res.locals["session"] = session
      if (session?.user) return next()
      const settings = await resolveSettings(config, req)
      const signInPage = settings.config.pages?.signIn ?? `${settings.basePath}/signin`
      // A sign-in page behind its own guard would send visitors round in circles.
      if (toPath(req.originalUrl) === toPath(signInPage)) return next()
      if (isPageLoad(req)) res.redirect(303, withCallbackUrl(signInPage, req.originalUrl))
      else res.status(401).json({ message: "Sign in to continue." })
    } catch (error) {
      next(error)
    }
  }
}

/** JSON stands first, so that clients who take anything are told, not sent round. */
function isPageLoad(req: Request): boolean {
  return (req.method === "GET" || req.method === "HEAD") && req.accepts(["json", "html"]) === "html"
}

/** Two leading slashes would name another host. */
function withCallbackUrl(page: string, target: string): string {
  const callbackUrl = encodeURIComponent(target.replace(/^[\\/]+/, "/"))
  return `${page}${page.includes("?") ? "&" : "?"}callbackUrl=${callbackUrl}`
}

function toPath(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? ""
}
