import type { Session } from "@latchkey/core"
import { AuthError } from "@latchkey/core/errors"
import { readSession } from "@latchkey/core/integration"
import type { Exchange } from "./act.js"
import { findCaller } from "./find-caller.js"
import { decideGuard, refusalText } from "./guard.js"
import type { NodeRequest } from "./node-request.js"
import { jsonAnswer } from "./refuse.js"
import { sendAnswer } from "./send-answer.js"
import { setCookies } from "./set-cookies.js"
import { resolveSettings } from "./settings.js"

/**
 * The session of a signed-in visitor, extended by a cookie where it is due. Null: nobody is signed in, and the request has been answered, a page load with
 * 303 to the sign-in page (`pages.signIn`, else `<basePath>/signin`), all else with 401.
 * @throws AuthError when the service cannot say, and for the sign-in page itself
 * @example
 * const session = await requireAuth({ req, res, config })
 * if (!session) return
 */
export async function requireAuth<Req extends NodeRequest>(exchange: Exchange<Req>): Promise<Session | null> {
  const { req, res, config, ...options } = exchange
  const { caller, settings } = findCaller(req, await resolveSettings(config, req), options)
  const { session, cookies } = await readSession(caller, settings)
  setCookies(res, cookies)
  if (session?.user) return session
  const answer = decideGuard(req, settings, options)
  if (answer.kind === "pass")
    throw new AuthError("requireAuth was called for pages.signIn itself, which must stay open")
  if (answer.kind === "signIn") sendAnswer({ status: 303, headers: [["location", answer.url]], body: null }, res)
  else if (answer.kind === "refuse") sendAnswer(jsonAnswer({ message: refusalText }, 401), res)
  return null
}
