import type { AppSession, SessionOf } from "@latchkey/core"
import { AuthError, SessionTokenError } from "@latchkey/core/errors"
import { readSession, type UserAuth } from "@latchkey/core/integration"
import {
  bindExchange,
  type ConfigSource,
  findBound,
  findCaller,
  keepPrivate,
  resolveSettings,
  sendWebResponse,
} from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readOrigin } from "./config.js"

declare global {
  // biome-ignore lint/style/noNamespace: the types of Express are extended by this one.
  namespace Express {
    interface Locals {
      /**
       * The session, after `currentSession` or `requireAuth`. Null when signed out; undefined while the store fails, and for
       * requests that neither of them handles.
       */
      session?: AppSession | null | undefined
    }
  }
}

/** Express's middleware. */
type Middleware = (req: Request, res: Response, next: NextFunction) => Promise<void>

/**
 * Returns the session, the actions and the signed-in user of a request. `requireAuth` and `requireFresh` send the response
 * to a request that they refuse, and return null.
 * @param config Needs `basePath` if it is not `/auth`.
 * @example
 * const session = await auth(req, res, config).requireFresh({ maxAgeSeconds: 600 })
 * if (!session) return
 */
export function auth(req: Request, res: Response, config: ConfigSource<Request>): UserAuth<null> {
  return bindExchange(req, res, config, readOrigin(req)).auth
}

/**
 * Returns the current session, or null when signed out. Does not renew it; {@link auth} and {@link currentSession} do.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession<Config extends ConfigSource<Request>>(
  req: Request,
  config: Config,
): Promise<SessionOf<Config> | null> {
  // as: what the callback of this configuration returned.
  const known = findBound(req, config)
  if (known) return known.getSession() as Promise<SessionOf<Config> | null>
  const { caller, settings } = findCaller(req, await resolveSettings(config, req), readOrigin(req))
  const { session } = await readSession(caller, settings)
  return session as SessionOf<Config> | null // as: see above.
}

/**
 * Sets `res.locals.session` for the handlers after it, and renews the session. Null when signed out, and when the
 * configuration is invalid. Undefined while the store fails: nobody knows whether the visitor is signed in. The log has the
 * cause.
 */
export function currentSession(config: ConfigSource<Request>): Middleware {
  return async (req, res, next) => {
    res.locals["session"] = null
    try {
      res.locals["session"] = await auth(req, res, config).getSession()
    } catch (error) {
      if (!(error instanceof AuthError)) return next(error)
      if (error instanceof SessionTokenError) res.locals["session"] = undefined
    }
    next()
  }
}

/**
 * Requires a session, renews it and sets `res.locals.session`. Without a session a page load is redirected to the
 * sign-in page (303) and returns afterwards; every other request gets 401. Errors go to the app's error handler, and the
 * request does not pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`: set `basePath` if it is not `/auth`. A page of your own
 * is let through; the built-in one has to be answered before the guard.
 */
export function requireAuth(config: ConfigSource<Request>): Middleware {
  return async (req, res, next) => {
    try {
      const bound = bindExchange(req, res, config, readOrigin(req))
      const refusal = await bound.guard()
      res.locals["session"] = bound.auth.session
      if (!refusal) return next()
      keepPrivate(res, bound.hasRefused)
      await sendWebResponse(refusal, res)
    } catch (error) {
      next(error)
    }
  }
}
