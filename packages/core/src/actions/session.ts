import type { SessionUpdate } from "../session/sessions.js"
import { json, type Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"

/** `GET /session`: whose session this is, or null. */
export function readSession(visit: Visit, needs: Pick<ActionNeeds, "sessions">): Promise<Reply> {
  return answer(visit, needs)
}

/** `POST /session`: hands the client's data to the host's callbacks and answers the updated session. */
export function updateSession(visit: Visit, needs: Pick<ActionNeeds, "sessions">): Promise<Reply> {
  return answer(visit, needs, { newSession: visit.body?.["data"] })
}

async function answer(
  visit: Visit,
  { sessions }: Pick<ActionNeeds, "sessions">,
  update?: SessionUpdate,
): Promise<Reply> {
  const { session, cookies } = await sessions.check(visit, update)
  return json(session, { cookies, headers: noStore })
}
