import type { OriginOptions, Session } from "@latchkey/core"
import { AuthError } from "@latchkey/core/errors"
import {
  decideGuard as decide,
  type GuardAnswer,
  readSession,
  refusalText,
  type Settings,
} from "@latchkey/core/integration"
import type { Exchange } from "./actions.js"
import { findCaller, type NodeRequest, resolveOrigin, resolveSettings } from "./config.js"
import { readTarget } from "./request.js"
import { jsonAnswer, sendAnswer, setCookies } from "./response.js"

/**
 * Requires a session, and renews it.
 *
 * Without a session it returns null and answers the request: a page load is redirected with 303 to the sign-in page
 * (`pages.signIn`, else `<basePath>/signin`), every other request gets 401.
 * @throws AuthError when the session cannot be read, and for the sign-in page itself
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
    throw new AuthError("requireAuth was called for pages.signIn itself. Call it for other pages only")
  const headers = Object.entries(answer.headers)
  if (answer.kind === "signIn") {
    sendAnswer({ status: 303, headers: [["location", answer.url], ...headers], body: null }, res)
  } else {
    const refusal = jsonAnswer({ message: refusalText }, 401)
    sendAnswer({ ...refusal, headers: [...refusal.headers, ...headers] }, res)
  }
  return null
}

/**
 * Decides how a guard answers a request without a session. The sign-in page redirects back to the request's target.
 * @throws AuthError for the built-in sign-in page, which has to be answered before the guard
 */
export function decideGuard(request: NodeRequest, settings: Settings, options: OriginOptions = {}): GuardAnswer {
  const { method, headers } = request
  const findOrigin = () => settings.origin ?? resolveOrigin(request, options)
  const { accept, authorization } = headers
  return decide({ method, accept, authorization, target: readTarget(request), findOrigin }, settings)
}
