import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { requireFresh as requireFreshOnNode } from "@latchkey/node"
import { type ExpressExchange, toExchange } from "./actions.js"

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Null if the response was sent: a page is redirected (303) to the page that asks, other clients get
 *   403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh({ req, res, config }, { maxAgeSeconds: 600, factors: 2 })
 * if (!session) return
 */
export function requireFresh(exchange: ExpressExchange, options?: RequireFreshOptions): Promise<FreshSession | null> {
  return requireFreshOnNode(toExchange(exchange), options)
}
