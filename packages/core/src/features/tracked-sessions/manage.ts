import { openService } from "../../open-service.js"
import { type OwnSessions, ownSessions, type SessionView } from "../../session/own-sessions.js"
import type { SessionRequest } from "../../session/session.js"
import { withFreshness } from "../freshness.js"
import type { HostConfig } from "../functions.js"

/**
 * Lists the user's live sessions: the current one first, then the last used. Empty when signed out.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(request: Request, config: HostConfig): Promise<readonly SessionView[]> {
  const { own, visit } = await open(request, config)
  return (await own.list(visit)) ?? []
}

/**
 * Ends one session of the signed-in user. A stateless one is refused after `checkEvery` seconds at the latest.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 */
export async function endSession(request: Request, config: HostConfig, id: string): Promise<boolean> {
  const { own, visit } = await open(request, config)
  return own.end(visit, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user re-authenticated in the last ten minutes
 */
export async function endOtherSessions(request: Request, config: HostConfig): Promise<number> {
  const { own, visit } = await open(request, config)
  return own.endOthers(visit)
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  config: HostConfig,
  userId: string,
  { except }: { /** The id of a session that goes on. */ readonly except?: string | undefined } = {},
): Promise<number> {
  // Any address will do: the cookies of the request are not read.
  const { own } = await open(new Request("https://localhost/"), config)
  return own.endAll(userId, except, {})
}

interface Opened {
  readonly own: OwnSessions
  readonly visit: SessionRequest
}

async function open(request: Request, config: HostConfig): Promise<Opened> {
  const { context, visit } = await openService(request, config)
  return { own: ownSessions(withFreshness(context)), visit }
}
