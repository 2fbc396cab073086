import { type ConfigSource, decideGuard, refusalText } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readArrival } from "./arrival.js"
import { readVisitorSession } from "./visitor-session.js"

/**
 * Lets signed-in people through, with `res.locals.session` set. Others who load a page are sent to the sign-in page
 * (303) and come back afterwards; all other requests are answered with 401. What fails goes to the app's error handler:
 * nobody gets through.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` when it is not `/auth`. The former is let
 * through, so that nobody goes round in circles; the latter must be answered before the guard.
 */
export function requireAuth(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    try {
      const { session, settings } = await readVisitorSession(req, res, config)
      res.locals["session"] = session
      if (session?.user) return next()
      const answer = decideGuard(req, settings, readArrival(req))
      if (answer.kind === "pass") return next()
      if (answer.kind === "signIn") res.redirect(303, answer.url)
      else res.status(401).json({ message: refusalText })
    } catch (error) {
      next(error)
    }
  }
}
