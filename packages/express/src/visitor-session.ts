import type { Session } from "@latchkey/core"
import { readSession } from "@latchkey/core/integration"
import { type ConfigSource, findCaller, resolveSettings, type Settings, setCookies } from "@latchkey/node"
import type { Request, Response } from "express"
import { readArrival } from "./arrival.js"

/** A visitor's session, and by which settings it was read. */
export interface VisitorSession {
  readonly session: Session | null
  readonly settings: Settings
}

/**
 * Reads the session of a request whose answer can tell the browser what has become of it.
 * @throws AuthError when the service cannot say
 */
export async function readVisitorSession(
  req: Request,
  res: Response,
  config: ConfigSource<Request>,
): Promise<VisitorSession> {
  const { caller, settings } = findCaller(req, await resolveSettings(config, req), readArrival(req))
  const { session, cookies } = await readSession(caller, settings)
  setCookies(res, cookies)
  return { session, settings }
}
