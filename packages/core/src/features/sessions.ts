import { InvalidRequest } from "../errors/errors.js"
import { type AuthRequest, findField } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { ownSessions } from "../session/own-sessions.js"
import type { ActionContext, RouteMethods } from "./feature.js"
import { withFreshness } from "./freshness.js"
import { answer, guarded, limited, signedOut } from "./route.js"

/** `account/sessions`: the sessions of the signed-in user as JSON. */
export const sessionRoutes: Readonly<Record<"account/sessions", RouteMethods>> = {
  "account/sessions": {
    format: "json",
    GET: listOwn,
    // Ending sessions is a sign-out, and counts as one.
    POST: guarded(limited("signOut", endOwn)),
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
  const { endSession } = await import("./sign-out.js")
  const { cookies = [], headers } = await endSession(
    { ...request, body: { ...request.body, atProvider: "false" } },
    context,
  )
  const done = answer(200, { ended: 1 })
  return { ...done, cookies, headers: { ...done.headers, ...headers } }
}
