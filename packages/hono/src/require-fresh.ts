import { requireFresh as requireFreshOf } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import type { Context } from "hono"
import { findSettings, getCaller } from "./session.js"

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(c, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(c: Context, options: RequireFreshOptions = {}): Promise<FreshSession | Response> {
  const { pathname, search } = new URL(c.req.url)
  const target = `${pathname}${search}`
  return requireFreshOf({ ...getCaller(c), method: c.req.method }, await findSettings(c), { ...options, target })
}
