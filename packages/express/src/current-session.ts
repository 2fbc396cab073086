import { AuthError } from "@latchkey/core/errors"
import type { ConfigSource } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { getSession } from "./get-session.js"

/**
 * Puts the session into `res.locals.session` for what comes after: null when nobody is signed in, and also when the
 * service cannot say (it has logged why).
 */
export function currentSession(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    res.locals["session"] = null
    try {
      res.locals["session"] = await getSession(req, config)
    } catch (error) {
      if (!(error instanceof AuthError)) return next(error)
    }
    next()
  }
}
