import { json, type Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"

/** `GET /csrf`: the token that every form must repeat. 404 where the framework protects its forms itself. */
export async function showCsrfToken(visit: Visit, { csrf, log }: Pick<ActionNeeds, "csrf" | "log">): Promise<Reply> {
  const { token: csrfToken, cookies } = await csrf.issue(visit.cookies)
  if (csrfToken !== undefined) return json({ csrfToken }, { cookies, headers: noStore })
  log.warnOnce("csrf-disabled")
  return { status: 404, cookies: csrf.leftover, headers: noStore }
}
