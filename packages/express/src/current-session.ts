import { AuthError } from "@latchkey/core/errors"
import type { ConfigSource } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readVisitorSession } from "./visitor-session.js"

/**
 * Puts the session into `res.locals.session` for what comes after, and extends it where that is due: null when nobody
 * is signed in, and also when the service cannot say (it has logged why).
 */
export function currentSession(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    res.locals["session"] = null
    try {
      const { session } = await readVisitorSession(req, res, config)
      res.locals["session"] = session
    } catch (error) {
      if (!(error instanceof AuthError)) return next(error)
    }
    next()
  }
}
