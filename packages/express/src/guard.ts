import { type ConfigSource, decideGuard, refusalText } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { renewSession } from "./session.js"

/**
 * Requires a session, renews it and sets `res.locals.session`. Without a session a page load is redirected to the
 * sign-in page (303) and returns afterwards; every other request gets 401. Errors go to the app's error handler, and the
 * request does not pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` if it is not `/auth`. A page of your own
 * is let through; the built-in one has to be answered before the guard.
 */
export function requireAuth(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    try {
      const { session, settings } = await renewSession(req, res, config)
      res.locals["session"] = session
      if (session?.user) return next()
      const answer = decideGuard(req, settings)
      if (answer.kind === "pass") return next()
      res.set(answer.headers)
      if (answer.kind === "signIn") res.redirect(303, answer.url)
      else res.status(401).json({ message: refusalText })
    } catch (error) {
      next(error)
    }
  }
}
