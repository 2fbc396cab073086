import type { Session } from "@latchkey/core"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import { AuthError } from "@latchkey/core/errors"
import { readSession } from "@latchkey/core/integration"
import {
  type ConfigSource,
  findCaller,
  getSession as getNodeSession,
  getAccessToken as getTokenOnNode,
  resolveSettings,
  type Settings,
  setCookies,
} from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readOrigin } from "./config.js"

/**
 * Returns the current session, or null when signed out. Does not renew it; {@link currentSession} does.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export function getSession(req: Request, config: ConfigSource<Request>): Promise<Session | null> {
  return getNodeSession(req, config, readOrigin(req))
}

/**
 * Sets `res.locals.session` for the handlers after it, and renews the session. Null when signed out, and when the
 * session cannot be read; the log has the cause.
 */
export function currentSession(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return async (req, res, next) => {
    res.locals["session"] = null
    try {
      const { session } = await renewSession(req, res, config)
      res.locals["session"] = session
    } catch (error) {
      if (!(error instanceof AuthError)) return next(error)
    }
    next()
  }
}

/** The current session, and the settings it was read with. */
export interface RenewedSession {
  readonly session: Session | null
  readonly settings: Settings
}

/**
 * Reads the current session and sets its renewed cookie.
 * @throws AuthError when the session cannot be read
 */
export async function renewSession(
  req: Request,
  res: Response,
  config: ConfigSource<Request>,
): Promise<RenewedSession> {
  const { caller, settings } = findCaller(req, await resolveSettings(config, req), readOrigin(req))
  const { session, cookies } = await readSession(caller, settings)
  setCookies(res, cookies)
  return { session, settings }
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export function getAccessToken(
  req: Request,
  config: ConfigSource<Request>,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  // Express sets `req.res`.
  return getTokenOnNode(req, config, options, { ...readOrigin(req), response: req.res })
}
