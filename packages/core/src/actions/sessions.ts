import { AuthError, toError } from "../errors/auth-error.js"
import { CredentialsSignin, FreshnessRequired, InvalidRequest, MissingCSRF, TooManyRequests } from "../errors/errors.js"
import { type AuthRequest, findField } from "../http/request.js"
import { json, type Reply } from "../http/response.js"
import { ownSessions } from "../session/own-sessions.js"
import { type ActionContext, noStore, type Route, type RouteMethods } from "./context.js"
import { toChallenge, withFreshness } from "./freshness.js"
import { guarded, limited } from "./routes.js"

/** `account/sessions`: the sessions of the signed-in user as JSON. */
export const sessionRoutes: Readonly<Record<"account/sessions", RouteMethods>> = {
  "account/sessions": {
    GET: answeredAsJson(listOwn),
    // Ending sessions is a sign-out, and counts as one.
    POST: answeredAsJson(guarded(limited("signOut", endOwn))),
  },
}

/** `GET account/sessions`: `{ sessions: SessionView[] }`. */
async function listOwn(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const sessions = await ownSessions(context).list(request)
  return sessions ? answer(200, { sessions }) : signedOut
}

/** `POST account/sessions` with `action=end` and `id`, or with `action=end-others`: `{ ended: number }`. */
export async function endOwn(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const own = ownSessions(withFreshness(context))
  const action = findField(request, "action")
  if (action === "end-others") {
    const sessions = await own.list(request)
    return sessions ? answer(200, { ended: await own.endOthers(request) }) : signedOut
  }
  if (action !== "end") throw new InvalidRequest('action: must be "end" or "end-others"')
  const id = findField(request, "id")
  if (id === undefined || id === "") throw new InvalidRequest("id: missing. Send the id of a session in the list")
  const sessions = await own.list(request)
  if (!sessions) return signedOut
  if (sessions[0]?.id === id) return endCurrent(request, context)
  // The same for the id of another user's session as for one that does not exist.
  return (await own.end(request, id)) ? answer(200, { ended: 1 }) : answer(404, { error: "NotFound" })
}

/**
 * Ends the session of this request: a sign-out, which also clears its cookies. It does not go on to the provider, since JSON
 * leads to no page.
 */
async function endCurrent(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { endSession } = await import("./signout.js")
  const { cookies = [] } = await endSession({ ...request, body: { ...request.body, atProvider: "false" } }, context)
  return { ...answer(200, { ended: 1 }), cookies }
}

export const signedOut: Reply = answer(401, { error: "SignedOut" })

export function answer(status: number, body: object): Reply {
  return json(body, { status, headers: noStore })
}

/** Answers errors with a status, since no page has sent the request: the caller reads the JSON. */
export function answeredAsJson(route: Route): Route {
  return async (request, context) => {
    try {
      return await route(request, context)
    } catch (thrown) {
      const error = thrown instanceof AuthError ? thrown : new AuthError(toError(thrown))
      context.log.errorOnce(error, request)
      const { type, reference } = error
      const wait = error instanceof TooManyRequests ? { "retry-after": String(error.retryAfterSeconds) } : {}
      const challenge = error instanceof FreshnessRequired ? toChallenge(request, context) : undefined
      const headers = { ...noStore, ...wait, ...challenge?.headers }
      return json({ error: type, reference, ...challenge?.body }, { status: toStatus(error), headers })
    }
  }
}

function toStatus(error: AuthError): number {
  if (error instanceof InvalidRequest) return error.status
  if (error.type === "SecondFactorWrong" || error instanceof CredentialsSignin) return 400
  if (error instanceof MissingCSRF || error instanceof FreshnessRequired) return 403
  return error instanceof TooManyRequests ? 429 : 500
}
