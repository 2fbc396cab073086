import { requireFresh as requireFreshOf } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { getState } from "./session.js"

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
 * whose page `confirm` asks again, or `session.track`.
 * @param request `request` of Elysia's context.
 * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(request, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(
  request: Request,
  options: RequireFreshOptions = {},
): Promise<FreshSession | Response> {
  const { caller, settings } = getState(request)
  const url = URL.parse(request.url)
  return requireFreshOf(caller, settings, { ...options, target: url ? `${url.pathname}${url.search}` : undefined })
}
