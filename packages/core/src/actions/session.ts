import type { AuthRequest } from "../http/request.js"
import { json, type Reply } from "../http/response.js"
import { type ActionContext, noStore } from "./context.js"

/** `GET /session`: the session, or null. */
export async function readSession(request: AuthRequest, { sessions }: ActionContext): Promise<Reply> {
  const { session, cookies } = await sessions.check(request)
  return json(session, { cookies, headers: noStore })
}

/** `POST /session`: passes the client's data to the host's callbacks and answers with the updated session. */
export async function updateSession(request: AuthRequest, { sessions }: ActionContext): Promise<Reply> {
  const { session, cookies } = await sessions.check(request, { newSession: request.body?.["data"] })
  return json(session, { cookies, headers: noStore })
}
